import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Surroundings } from '../feeds/feed.ts';
import type { FeedWithHealth } from '../feeds/feed-set.ts';
import type { Fix } from '../fix.ts';
import type { FeedState } from '../fusion/fused-feed.ts';
import { StationComparison } from './compare-stations.ts';
import { type Deafness, type JudgedHour, judgeStations } from './deafness.ts';
import type { StationRecord } from './station-record.ts';
import { dayStartMs, type StationSample } from './station-tally.ts';
import type { UsualReach } from './usual-reach.ts';

/** Stations are judged this often; a killed service loses at most this of their hours. */
const JUDGED_EVERY_MS = MINUTE_MS;
/** A busy station has 40 kB, which the disk does not need every minute. */
const REACH_STORED_EVERY_MS = 10 * MINUTE_MS;

interface FollowOptions {
  readonly record: StationRecord;
  readonly reach: UsualReach;
  readonly feeds: () => readonly FeedWithHealth[];
  readonly fusionOf: (id: string) => FeedState | undefined;
  readonly surroundings: Surroundings;
}

interface DeafStation extends Deafness {
  /** When this service found it. */
  readonly noticedAt: UpstreamInstant;
}

export interface FollowedStations {
  note(feed: FeedWithHealth['settings'], fixes: readonly Fix[]): void;
  /** undefined while the station hears well, or nothing is known of it. */
  deafness(id: string): DeafStation | undefined;
  close(): Promise<void>;
}

/** Samples, compares and judges the stations until closed. Never throws. */
export function followStations({ record, reach, feeds, fusionOf, surroundings }: FollowOptions): FollowedStations {
  const { now, after, calendar } = surroundings;
  const comparison = new StationComparison(reach);
  reach.moveTo(dayStartMs(epochMs(calendar.wallOf(now()))));
  let deaf: ReadonlyMap<string, DeafStation> = new Map();
  let judgedAt = now();
  let reachStoredAt = now();

  function sample(): void {
    const at = now();
    const wallMs = epochMs(calendar.wallOf(at));
    const all = feeds();
    comparison.moveTo(epochMs(at), wallMs, all.map(comparedStation));
    const samples = all.map((feed) => {
      const { id } = feed.settings;
      return sampleOf(feed, fusionOf(id), comparison.totalsOf(id), at);
    });
    record.sample(wallMs, epochMs(at), samples);
  }

  function judge(): void {
    judgedAt = now();
    const judged = new Map(feeds().flatMap((feed) => (isJudged(feed) ? [hoursOf(record, feed.settings.id)] : [])));
    const found = new Map<string, DeafStation>();
    for (const [id, { deaf: deafness, movedMs }] of judgeStations(judged)) {
      if (deafness) found.set(id, { ...deafness, noticedAt: deaf.get(id)?.noticedAt ?? judgedAt });
      if (movedMs !== undefined) reach.forget(id, dayStartMs(movedMs));
    }
    deaf = found;
  }

  /** They never reject. */
  function store(): void {
    void record.flush();
    if (msBetween(reachStoredAt, now()) < REACH_STORED_EVERY_MS) return;
    reachStoredAt = now();
    void reach.flush();
  }

  let cancel = () => {};
  function step(): void {
    sample();
    if (msBetween(judgedAt, now()) >= JUDGED_EVERY_MS) {
      judge();
      store();
    }
    cancel = after(SECOND_MS, step);
  }
  step();
  judge();

  return {
    note(feed, fixes) {
      // Another service has the same aircraft under other names.
      if (!feed.simulated && !feed.readApi) comparison.note(feed.id, fixes);
    },
    deafness: (id) => deaf.get(id),
    async close() {
      cancel();
      sample();
      await Promise.all([record.flush(), reach.flush()]);
    },
  };
}

/** An aggregate hears what its stations hear: which of them are there is not known. */
function isJudged({ settings: { aggregates, simulated, readApi } }: FeedWithHealth): boolean {
  return !aggregates && !simulated && !readApi;
}

function comparedStation(feed: FeedWithHealth) {
  const { isReceiving, isDouble, since } = feed.life;
  const receivesSinceMs = isJudged(feed) && isReceiving && !isDouble ? epochMs(since) : undefined;
  return { id: feed.settings.id, receivesSinceMs };
}

function hoursOf({ days }: StationRecord, id: string): readonly [string, readonly JudgedHour[]] {
  const hours = [...days]
    .sort(([one], [other]) => one - other)
    .flatMap(([dayMs, day]) =>
      (day.get(id) ?? []).flatMap((hour, index) => {
        if (!hour) return [];
        const { recordedMs, notConnectedMs, aircraft } = hour;
        return [{ startMs: dayMs + index * HOUR_MS, connectedMs: recordedMs - notConnectedMs, aircraft }];
      }),
    );
  return [id, hours];
}

function sampleOf(
  { settings: { id, simulated }, health: { state, since, lastMessageAt } }: FeedWithHealth,
  fusion: FeedState | undefined,
  aircraft: StationSample['aircraft'],
  now: UpstreamInstant,
): StationSample {
  const { repeated: _repeated, ...fixes } = fusion?.counts ?? {};
  return {
    id,
    simulated,
    isConnected: state === 'connected',
    quietMs: msBetween(lastMessageAt !== undefined && lastMessageAt > since ? lastMessageAt : since, now),
    fixes: Object.values(fixes).reduce((sum, count) => sum + count, 0),
    alone: fusion?.alone ?? 0,
    clockErrorMs: fusion?.clockErrorMs,
    clockSpreadMs: fusion?.clockSpreadMs ?? 0,
    aircraft,
  };
}
