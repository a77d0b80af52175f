import { z } from 'zod';
import { epochMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { PastState } from '../past/past.ts';
import type { BoxView } from './box-view.ts';
import type { StandingFeed } from './feeds/feed-set.ts';
import type { ReceivedSource } from './received-source.ts';

const time = z.string().nullable();
const count = z.int().min(0);

const feedStatusSchema = z.object({
  id: z.string(),
  url: z.string(),
  aggregates: z.boolean(),
  simulated: z.boolean(),
  /** `silent` is connected, without a position for a minute. */
  state: z.enum(['connecting', 'receiving', 'silent', 'lost']),
  since: z.string(),
  /** Why it is not connected. */
  problem: z.string().nullable(),
  last_heard_at: time,
  last_position_at: time,
  positions_per_minute: count,
  positions: count,
  messages: count,
  /** Messages and rows that gave no position, by cause. */
  refused: z.record(z.string(), count),
  /** Positions that were received but not served, by cause. */
  not_served: z.record(z.string(), count),
  /** How far its clock is ahead, in ms. */
  clock_error_ms: z.number().nullable(),
  /** False if its clock is so wrong or unsteady that times of arrival are used. */
  clock_is_used: z.boolean().nullable(),
});

export const receiversStatusSchema = z.object({
  at: z.string(),
  feeds: z.array(feedStatusSchema),
  /** What is wrong with the file of feeds as it is now. */
  problems: z.array(z.string()),
  /** What is recorded of them; null without a data directory. */
  past: z
    .object({
      oldest_at: time,
      bytes: count,
      /** Why nothing is recorded at present. */
      problem: z.enum(['disk_full', 'disk_failed', 'database_lost']).nullable(),
      /** Positions since the start that are not recorded, by cause. */
      dropped: z.record(z.string(), count),
    })
    .nullable(),
  /** Where a map of what is received opens. */
  view: z.object({ lat: z.number(), lon: z.number(), zoom: z.number() }).nullable(),
});

export type ReceiversStatus = z.infer<typeof receiversStatusSchema>;
export type FeedStatus = z.infer<typeof feedStatusSchema>;

interface ReceiversBeside {
  readonly problems: readonly string[];
  readonly view: BoxView | undefined;
  readonly past: PastState | undefined;
  readonly now: UpstreamInstant;
}

const SILENT_AFTER_MS = 60_000;

export function receiversStatus(
  standing: readonly StandingFeed[],
  source: Pick<ReceivedSource, 'feedState'>,
  { problems, view, past, now }: ReceiversBeside,
): ReceiversStatus {
  return {
    at: formatInstant(now),
    feeds: standing.map((feed) => feedStatus(feed, source, now)),
    problems: [...problems],
    past: past ? pastStatus(past) : null,
    view: view ?? null,
  };
}

function feedStatus(
  { settings, health }: StandingFeed,
  source: Pick<ReceivedSource, 'feedState'>,
  now: UpstreamInstant,
): FeedStatus {
  const fused = source.feedState(settings.id);
  const { observed: _observed, shared: _shared, repeated: _repeated, ...notServed } = fused?.counts ?? {};
  const { lastPositionAt } = health;
  const isSilent = lastPositionAt === undefined || epochMs(now) - epochMs(lastPositionAt) > SILENT_AFTER_MS;
  const connected = isSilent ? 'silent' : 'receiving';
  return {
    id: settings.id,
    url: settings.url,
    aggregates: settings.aggregates,
    simulated: settings.simulated,
    state: health.state === 'connected' ? connected : health.state,
    since: formatInstant(health.since),
    problem: health.problem ?? null,
    last_heard_at: timeText(health.lastHeardAt),
    last_position_at: timeText(lastPositionAt),
    positions_per_minute: health.positionsPerMinute,
    positions: health.positions,
    messages: health.messages,
    refused: { ...health.refused },
    not_served: counted(notServed),
    clock_error_ms: fused?.clockErrorMs ?? null,
    clock_is_used: fused === undefined || fused.clockErrorMs === undefined ? null : !fused.isClockDoubtful,
  };
}

function pastStatus({ oldestAt, bytes, problem, dropped }: PastState): NonNullable<ReceiversStatus['past']> {
  return {
    oldest_at: timeText(oldestAt),
    bytes,
    problem: problem?.cause ?? null,
    dropped: counted(dropped),
  };
}

/** Only what occurred. */
function counted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0));
}

function timeText(at: UpstreamInstant | undefined): string | null {
  return at === undefined ? null : formatInstant(at);
}
