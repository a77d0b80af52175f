import { z } from 'zod';
import { formatInstant, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { PastState } from '../past/past.ts';
import type { FeedHealth, Surroundings } from './feeds/feed.ts';
import type { FeedWithHealth } from './feeds/feed-set.ts';
import { requestsADay } from './feeds/read-api-kind.ts';
import type { FeedState } from './fusion/fused-feed.ts';
import type { BoxView } from './home-view.ts';
import type { Deafness } from './stations/deafness.ts';

const time = z.string().nullable();
const count = z.int().min(0);

const feedStatusSchema = z.object({
  id: z.string(),
  url: z.string(),
  aggregates: z.boolean(),
  simulated: z.boolean(),
  /** `silent` is connected, with a problem or without a position for a minute. */
  state: z.enum(['connecting', 'receiving', 'silent', 'lost']),
  since: z.string(),
  problem: z.string().nullable(),
  last_heard_at: time,
  last_position_at: time,
  positions_per_minute: count,
  positions: count,
  messages: count,
  refused: z.record(z.string(), count),
  /** Fields that our copy of the format lacks. */
  fields_not_known: z.record(z.string(), count),
  /** Values of a wrong type or out of range are served as "not reported". */
  values_not_used: z.record(z.string(), count),
  not_served: z.record(z.string(), count),
  /** The error of the feed's clock: positive if it is ahead of ours. */
  clock_error_ms: z.number().nullable(),
  /** False if it is so wrong that times of arrival are used. */
  clock_is_used: z.boolean().nullable(),
  /** Of a feed whose account counts requests: those of a UTC day. */
  requests: z
    .object({
      /** The least that its layers and areas need: one page each. */
      needed: count,
      limit: count,
      used: count,
      /** The rest of its account, by its last answer. */
      account_left: count.nullable(),
    })
    .nullable(),
  /** It hears only this share of what it usually does; null while it hears well, or nothing is known of it. */
  deaf: z.object({ share: z.number().min(0), since: z.string() }).nullable(),
});

/** How the receivers stand, as the status socket answers it. Its names are those that programs read. */
export const receiversStatusSchema = z.object({
  at: z.string(),
  feeds: z.array(feedStatusSchema),
  problems: z.array(z.string()),
  /** The latest setting of this machine's clock, in the new time. */
  clock_set: z.object({ at: z.string(), by_ms: z.number() }).nullable(),
  past: z
    .object({
      oldest_at: time,
      bytes: count,
      problem: z.enum(['disk_full', 'disk_failed']).nullable(),
      /** Data beyond the retention that awaits a confirmation. */
      overdue: z.object({ since: z.string(), before: z.string() }).nullable(),
      dropped: z.record(z.string(), count),
    })
    .nullable(),
  view: z.object({ lat: z.number(), lon: z.number(), zoom: z.number() }).nullable(),
});

export type ReceiversStatus = z.infer<typeof receiversStatusSchema>;
export type FeedStatus = z.infer<typeof feedStatusSchema>;

interface StatusOfService {
  readonly problems: readonly string[];
  readonly view: BoxView | undefined;
  readonly past: PastState | undefined;
  readonly clocks: Clocks;
}

type Clocks = Pick<Surroundings, 'now' | 'calendar'>;

const SILENT_AFTER_MS = 60_000;

export function receiversStatus(
  feeds: readonly FeedStatus[],
  { problems, view, past, clocks: { now, calendar } }: StatusOfService,
): ReceiversStatus {
  const step = calendar.lastStep();
  return {
    at: formatInstant(calendar.wallOf(now())),
    feeds: [...feeds],
    problems: [...problems, ...clockProblems(feeds)],
    clock_set: step ? { at: formatInstant(upstreamInstant(step.wallMs)), by_ms: Math.round(step.ms) } : null,
    past: past ? pastStatus(past) : null,
    view: view ?? null,
  };
}

/** Receivers that agree on another time are right more often than this machine; one of them decides nothing. */
function clockProblems(feeds: readonly FeedStatus[]): readonly string[] {
  const errors = feeds.flatMap(({ state, clock_error_ms }) => (state === 'lost' ? [] : (clock_error_ms ?? [])));
  const [lowest, highest] = [Math.min(...errors), Math.max(...errors)];
  if (errors.length === 0 || Math.min(Math.abs(lowest), Math.abs(highest)) < MINUTE_MS) return [];
  if (highest - lowest > MINUTE_MS) return [];
  const [ahead, behind] = lowest > 0 ? ['behind', 'ahead of'] : ['ahead of', 'behind'];
  const time = roughTime(Math.abs(lowest));
  return [
    errors.length > 1
      ? `the clock of this machine is ${time} ${ahead} those of all its receivers: check it with timedatectl`
      : `the clock of the receiver is ${time} ${behind} that of this machine: check both with timedatectl`,
  ];
}

function roughTime(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.round(ms / DAY_MS)} days`;
  return ms >= 2 * HOUR_MS ? `${Math.round(ms / HOUR_MS)} h` : `${Math.round(ms / MINUTE_MS)} min`;
}

export function feedStatus(
  { settings, health, life, requests }: FeedWithHealth,
  fixes: FeedState | undefined,
  deafness: Deafness | undefined,
  { now, calendar }: Clocks,
): FeedStatus {
  const date = (at: UpstreamInstant | undefined) => at && calendar.wallOf(at);
  const lastPositionAt = date(health.lastPositionAt);
  const isSilent = health.state === 'connected' && !life.isReceiving;
  const problem =
    health.problem ??
    unservedProblem(health, fixes) ??
    (isSilent ? 'it has been silent for longer than usual' : undefined);
  return {
    id: settings.id,
    url: settings.url,
    aggregates: settings.aggregates,
    simulated: settings.simulated,
    state: isSilent ? 'lost' : stateOf({ ...health, lastPositionAt, problem }, calendar.wallOf(now())),
    since: formatInstant(calendar.wallOf(isSilent ? life.since : health.since)),
    problem: problem ?? null,
    last_heard_at: timeText(date(health.lastMessageAt)),
    last_position_at: timeText(lastPositionAt),
    positions_per_minute: health.positionsPerMinute,
    positions: health.positions,
    messages: health.messages,
    refused: { ...health.refused },
    fields_not_known: Object.fromEntries(health.fields.unknown),
    values_not_used: Object.fromEntries(health.fields.unusable),
    ...fixesStatus(fixes),
    deaf: deafness
      ? { share: Math.round(deafness.share * 100) / 100, since: formatInstant(upstreamInstant(deafness.sinceMs)) }
      : null,
    requests: requestsStatus(settings, requests),
  };
}

function requestsStatus({ readApi }: FeedWithHealth['settings'], requests: FeedWithHealth['requests']) {
  if (!readApi || !requests) return null;
  return {
    needed: requestsADay(readApi),
    limit: readApi.requestsPerDay,
    used: requests.usedToday,
    account_left: requests.accountLeft ?? null,
  };
}

function unservedProblem({ state, positions }: FeedHealth, fixes: FeedState | undefined): string | undefined {
  const { late = 0, undated = 0 } = fixes?.counts ?? {};
  if (state !== 'connected' || positions === 0 || late + undated < positions) return undefined;
  return undated > late
    ? 'what it sends may be old, and is not served: it has no clock, or a wrong one that was not seen to run'
    : 'all its positions are late: they are older than what is served';
}

function stateOf({ state, problem, lastPositionAt }: FeedHealth, now: UpstreamInstant): FeedStatus['state'] {
  if (state !== 'connected') return state;
  const isSilent = lastPositionAt === undefined || msBetween(lastPositionAt, now) > SILENT_AFTER_MS;
  return problem !== undefined || isSilent ? 'silent' : 'receiving';
}

function fixesStatus(fixes: FeedState | undefined) {
  const { observed: _observed, shared: _shared, repeated: _repeated, ...notServed } = fixes?.counts ?? {};
  return {
    not_served: counted(notServed),
    clock_error_ms: fixes?.clockErrorMs ?? null,
    clock_is_used: fixes?.clockErrorMs === undefined ? null : !fixes.isClockDoubtful,
  };
}

function pastStatus({ oldestAt, bytes, problem, overdue, dropped }: PastState): NonNullable<ReceiversStatus['past']> {
  return {
    oldest_at: timeText(oldestAt),
    bytes,
    problem: problem?.cause ?? null,
    overdue: overdue ? { since: formatInstant(overdue.since), before: formatInstant(overdue.before) } : null,
    dropped: counted(dropped),
  };
}

function counted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0));
}

function timeText(at: UpstreamInstant | undefined): string | null {
  return at === undefined ? null : formatInstant(at);
}
