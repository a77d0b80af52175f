import { commandText } from '#lib/commands/command-text.ts';
import { epochMs, instantOf } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type FeedStatus, type ReceiversStatus, receiversStatusSchema } from '../receivers/receivers-status.ts';
import { readStatus, statusSocketPath } from '../receivers/status-socket.ts';
import { tableLines } from './commands/command.ts';
import { CommandArguments } from './read-arguments.ts';
import type { CommandResult } from './run-command.ts';
import { userPath } from './user-path.ts';
import { pathForm } from './value-forms.ts';

const OPTIONS = { data: { type: 'string' }, json: { type: 'boolean' } } as const;

/** `feeds --data DIR` */
export async function runFeedsCommand(args: readonly string[]): Promise<CommandResult> {
  const given = new CommandArguments('feeds', '', OPTIONS, args);
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
    ...feeds.flatMap(fieldLines),
    ...problems.map((problem) => `The file of feeds is not used as it is now: ${problem}`),
    ...(clockSet ? [clockSetText(clockSet)] : []),
    ...(past?.overdue ? [overdueText(past.overdue, dataDir)] : []),
    ...(past?.problem ? [`Nothing is recorded at present: ${PAST_PROBLEM[past.problem]}.`] : []),
  ];
  return { ok: true, output: `${lines.join('\n')}\n` };
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
