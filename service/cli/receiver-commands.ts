import { existsSync } from 'node:fs';
import { commandText } from '#lib/commands/command-text.ts';
import { errorMessage } from '#lib/text/error-message.ts';
import { addMs, epochMs, formatInstant, instantOf, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { keyDigest, makeKeyText } from '../accounts/api-key.ts';
import { confirmDeletion } from '../data-dir/confirmed-deletion.ts';
import { type FeedStatus, type ReceiversStatus, receiversStatusSchema } from '../receivers/receivers-status.ts';
import { readStatus, statusSocketPath } from '../receivers/status-socket.ts';
import { tableLines } from './commands/command.ts';
import { CommandArguments, pathForm, userPath, type ValueForm } from './read-arguments.ts';
import type { CommandResult } from './run-command.ts';

/** The commands about receivers: `feeds` and `past` read and write a data directory, `station-key` writes nothing. */
const DATA_OPTIONS = { data: { type: 'string' }, json: { type: 'boolean' } } as const;

/** `feeds --data DIR`: how each feed of the running service stands. */
export async function runFeedsCommand(args: readonly string[]): Promise<CommandResult> {
  const given = new CommandArguments('feeds', '', DATA_OPTIONS, args);
  const dataDir = given.required('data', pathForm);
  if (dataDir === undefined || given.problems.length > 0) return { ok: false, exitCode: 2, problems: given.problems };
  const path = userPath(dataDir);
  let answer: unknown;
  try {
    answer = await readStatus(path);
  } catch (error) {
    const problem =
      (error as NodeJS.ErrnoException).code === 'EACCES'
        ? `The socket of the service over ${path} is another user’s: run this as the user of the service.`
        : `No service with feeds runs over ${path}: start one with ${commandText('service', `serve --data ${dataDir} --feeds FILE`)}.`;
    return { ok: false, exitCode: 1, problems: [problem] };
  }
  const read = receiversStatusSchema.safeParse(answer);
  if (!read.success) {
    return {
      ok: false,
      exitCode: 1,
      problems: [`${statusSocketPath(path)} answers something else: is it another version?`],
    };
  }
  if (given.flag('json')) return { ok: true, output: `${JSON.stringify(read.data)}\n` };
  const { at, feeds, problems, clock_set: clockSet, past } = read.data;
  const heads = ['feed', 'state', 'positions/min', 'heard', 'clock', 'refused', 'not served'];
  const lines = [
    ...(feeds.length === 0
      ? ['There are no feeds.']
      : tableLines(
          heads,
          feeds.map((feed) => rowOf(feed, at)),
        )),
    ...feeds.flatMap(({ id, state, problem }) =>
      problem === null ? [] : [state === 'silent' ? `${id}: ${problem}` : `${id} is down: ${problem}`],
    ),
    ...feeds.flatMap(requestLines),
    ...feeds.flatMap(({ id, deaf }) => (deaf ? [deafText(id, deaf)] : [])),
    ...feeds.flatMap(fieldLines),
    ...problems.map((problem) => `The file of feeds is not used as it is now: ${problem}`),
    ...(clockSet ? [clockSetText(clockSet)] : []),
    ...(past?.overdue ? [overdueText(past.overdue, dataDir)] : []),
    ...(past?.problem ? [`Nothing is recorded at present: ${PAST_PROBLEM[past.problem]}.`] : []),
  ];
  return { ok: true, output: `${lines.join('\n')}\n` };
}

function deafText(id: string, { share, since }: NonNullable<FeedStatus['deaf']>): string {
  return `${id} hears ${Math.round(share * 100)}% of what it usually does, since ${since}.`;
}

const PAST_PROBLEM = {
  disk_full: 'the disk is full',
  disk_failed: 'the disk cannot be written',
} as const;

function clockSetText({ at, by_ms: byMs }: NonNullable<ReceiversStatus['clock_set']>): string {
  const seconds = Math.abs(byMs) / SECOND_MS;
  return `This machine's clock was set ${byMs < 0 ? 'back' : 'forward'} by ${seconds.toFixed(1)} s, to ${at}.`;
}

function overdueText({ since, before }: { readonly since: string; readonly before: string }, dataDir: string): string {
  return `What was received from ${since} until ${before} is older than is kept, and is not deleted in case the clock is wrong. If it is right: ${commandText('service', `past delete --data ${dataDir} --before ${before}`)}`;
}

function rowOf(feed: FeedStatus, at: string): string[] {
  return [
    feed.id,
    feed.state,
    String(feed.positions_per_minute),
    feed.last_heard_at === null ? 'never' : `${agoText(feed.last_heard_at, at)} ago`,
    clockText(feed),
    countsText(feed.refused),
    countsText(feed.not_served),
  ];
}

function requestLines({ id, requests }: FeedStatus): string[] {
  if (!requests) return [];
  const { needed, limit, used, account_left: left } = requests;
  const account = left === null ? '' : `; its account has ${left} left`;
  return [`${id}: ${used} of ${limit} requests today, ${needed} or more are needed a day${account}`];
}

function fieldLines({ id, fields_not_known: unknown, values_not_used: unusable }: FeedStatus): string[] {
  return [
    ...(Object.keys(unknown).length === 0 ? [] : [`${id}, fields not known: ${countsText(unknown)}`]),
    ...(Object.keys(unusable).length === 0 ? [] : [`${id}, values not used: ${countsText(unusable)}`]),
  ];
}

function agoText(then: string, at: string): string {
  const seconds = Math.max(0, Math.round((epochMs(instantOf(at)) - epochMs(instantOf(then))) / SECOND_MS));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

function clockText({ clock_error_ms: errorMs, clock_is_used: isUsed }: FeedStatus): string {
  if (errorMs === null) return 'unknown';
  const error = `${errorMs < 0 ? '-' : '+'}${(Math.abs(errorMs) / SECOND_MS).toFixed(1)} s`;
  return isUsed === false ? `${error}, not used` : error;
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const ranked = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return ranked.length === 0 ? 'none' : ranked.map(([cause, count]) => `${count} ${cause}`).join(', ');
}

/** `past delete --data DIR --before TIME`: confirms a deletion that the running service waits for. */
export function runPastCommand(args: readonly string[], now: UpstreamInstant): CommandResult | undefined {
  const [action, ...options] = args;
  if (action !== 'delete') return undefined;
  const given = new CommandArguments('past delete', '', { ...DATA_OPTIONS, before: { type: 'string' } }, options);
  const dataDir = given.required('data', pathForm);
  const before = given.required('before', pastTimeForm(now));
  if (dataDir === undefined || before === undefined || given.problems.length > 0)
    return { ok: false, exitCode: 2, problems: given.problems };
  const path = userPath(dataDir);
  if (!existsSync(path)) return { ok: false, exitCode: 1, problems: [`There is no directory ${path}.`] };
  try {
    confirmDeletion(path, before);
  } catch (error) {
    return { ok: false, exitCode: 1, problems: [errorMessage(error)] };
  }
  const text = formatInstant(before);
  if (given.flag('json')) return { ok: true, output: `${JSON.stringify({ confirmed_before: text })}\n` };
  return {
    ok: true,
    output: `Confirmed. The service over ${path} deletes what it received before ${text}, as far as that is older than it keeps: at once, or when it starts.\n`,
  };
}

/** A date without a time means its beginning in UTC. */
function pastTimeForm(now: UpstreamInstant): ValueForm<UpstreamInstant> {
  const example = formatInstant(addMs(now, -30 * DAY_MS)).slice(0, 10);
  return {
    parse(text) {
      const at = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
      return at !== undefined && at < now ? at : undefined;
    },
    instead: `write a date in the past such as ${example}, or a time such as ${example}T12:00:00Z`,
  };
}

/** `station-key`: a new key, which is stored nowhere. The file of feeds has its digest. */
export function runStationKeyCommand(args: readonly string[]): CommandResult {
  const given = new CommandArguments('station-key', '', { json: { type: 'boolean' } }, args);
  if (given.problems.length > 0) return { ok: false, exitCode: 2, problems: given.problems };
  const key = makeKeyText();
  const digest = Buffer.from(keyDigest(key)).toString('hex');
  if (given.flag('json')) {
    return { ok: true, output: `${JSON.stringify({ station_key: key, key_sha256: digest })}\n` };
  }
  const lines = [
    `The key, for the station: ${key}`,
    'It is not shown again. In the file of feeds write, with a name of your own:',
    `{"id":"hill","url":"push://hill","key_sha256":"${digest}"}`,
  ];
  return { ok: true, output: `${lines.join('\n')}\n` };
}
