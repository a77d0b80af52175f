import type { EndLine, ProgressLine } from '#lib/api/history-line.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { HistoryReader, type HistoryReaderOptions } from '#lib/server/history/history-reader.ts';
import { historyRecordsOf } from '#lib/server/history/history-stream.ts';
import { LoadQueues } from '#lib/server/history/load-queues.ts';
import { PartCache } from '#lib/server/history/parts/part-cache.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { listedSource, observation } from '#service/conformance/listed-source.ts';
import type { Observation } from '#service/sources/observation.ts';
import { type LiveHarnessOptions, startLiveHarness } from './live-harness.ts';

export const HOUR: Window = {
  start: upstreamInstant(Date.UTC(2026, 10, 21, 10)),
  end: upstreamInstant(Date.UTC(2026, 10, 21, 11)),
};
const AREA = { west: 8, south: 47, east: 9, north: 48 };

export function tracks(count: number, window = HOUR, everyMs = 10_000): Observation[] {
  const observations: Observation[] = [];
  for (let at: UpstreamInstant = window.start; at < window.end; at = addMs(at, everyMs)) {
    for (let track = 0; track < count; track++) {
      observations.push(
        observation({ sourceId: `t${track}`, observedAt: addMs(at, track), lon: 8 + (track % 50) / 50, lat: 47.5 }),
      );
    }
  }
  return observations;
}

export const historyQuery = (change: Partial<HistoryQuery> = {}): HistoryQuery =>
  ({ bbox: AREA, layers: ['adsb'], window: HOUR, wide: undefined, maxRequests: undefined, ...change }) as HistoryQuery;

interface HistoryHarnessOptions extends LiveHarnessOptions {
  readonly hasSignIn?: boolean;
  readonly cache?: PartCache;
  readonly queues?: LoadQueues;
  readonly lease?: HistoryReaderOptions['lease'];
  readonly servers?: HistoryReaderOptions['servers'];
  readonly moveClock?: (ms: number) => void;
  readonly expectedPerSecond?: HistoryReaderOptions['expectedPerSecond'];
}

/** Over HTTP, on the live harness's clock, which sleeping moves at once. */
export async function startHistoryHarness(
  observations: readonly Observation[],
  {
    hasSignIn = false,
    cache: ownCache = new PartCache(),
    queues = new LoadQueues(),
    lease,
    servers,
    moveClock,
    expectedPerSecond = () => undefined,
    ...options
  }: HistoryHarnessOptions = {},
) {
  const live = await startLiveHarness({ source: listedSource(observations), ...options });
  const skipping: HistoryReaderOptions['sleep'] = async (ms, signal) => {
    signal.throwIfAborted();
    (moveClock ?? live.moveClock)(ms);
  };
  const readerWith = (cache: PartCache, sleep = skipping) =>
    new HistoryReader({
      client: live.client,
      ledger: live.ledger,
      cache,
      queues,
      ...(lease && { lease }),
      servers,
      expectedPerSecond,
      livePerS: () => live.scheduler.refreshesPerS,
      hasSignIn,
      now: live.now,
      sleep,
    });
  return {
    live,
    reader: readerWith(ownCache),
    readerWith,
    requests: () => live.service.requests().length,
    requestedWindows: () =>
      live.service.requests().map(({ query }) => {
        const parameters = new URLSearchParams(query);
        return [Date.parse(parameters.get('start') ?? ''), Date.parse(parameters.get('end') ?? '')] as const;
      }),
  };
}

export type HistoryHarness = Awaited<ReturnType<typeof startHistoryHarness>>;

/** `keys`: how often each record came. */
export async function loadAll(reader: HistoryReader, query = historyQuery(), operator = 'alice') {
  const keys = new Map<string, number>();
  let end: EndLine | undefined;
  let progress: ProgressLine | undefined;
  for await (const event of reader.load(query, operator, new AbortController().signal)) {
    if (event.kind === 'part') {
      for (const { public_track_id, observed_at } of await historyRecordsOf(event.part)) {
        const key = `${public_track_id} ${observed_at}`;
        keys.set(key, (keys.get(key) ?? 0) + 1);
      }
    } else if (event.line.type === 'end') end = event.line;
    else if (event.line.type === 'progress') progress = event.line;
  }
  return { keys, minutes: progress?.layers.adsb?.minutes ?? '', adsb: end?.layers.adsb, rid: end?.layers.rid };
}
