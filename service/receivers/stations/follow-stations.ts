import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Surroundings } from '../feeds/feed.ts';
import type { FeedWithHealth } from '../feeds/feed-set.ts';
import type { FeedState } from '../fusion/fused-feed.ts';
import type { StationRecord } from './station-record.ts';
import type { StationSample } from './station-tally.ts';

/** A killed service loses at most this. */
const STORED_EVERY_MS = MINUTE_MS;

interface FollowOptions {
  readonly record: StationRecord;
  readonly read: () => readonly StationSample[];
  readonly surroundings: Surroundings;
}

/** Samples until closed. Never throws. */
export function followStations({ record, read, surroundings }: FollowOptions): { close(): Promise<void> } {
  const { now, after, calendar } = surroundings;
  let storedAt = now();

  function sample(): void {
    const at = now();
    record.sample(epochMs(calendar.wallOf(at)), epochMs(at), read());
    if (msBetween(storedAt, at) < STORED_EVERY_MS) return;
    storedAt = at;
    void record.flush();
  }

  let cancel = () => {};
  function step(): void {
    sample();
    cancel = after(SECOND_MS, step);
  }
  step();

  return {
    close() {
      cancel();
      sample();
      return record.flush();
    },
  };
}

export function sampleOf(
  { settings: { id, simulated }, health: { state, since, lastHeardAt } }: FeedWithHealth,
  fusion: FeedState | undefined,
  now: UpstreamInstant,
): StationSample {
  const { repeated: _repeated, ...fixes } = fusion?.counts ?? {};
  return {
    id,
    simulated,
    isConnected: state === 'connected',
    quietMs: msBetween(lastHeardAt !== undefined && lastHeardAt > since ? lastHeardAt : since, now),
    fixes: Object.values(fixes).reduce((sum, count) => sum + count, 0),
    alone: fusion?.alone ?? 0,
    clockErrorMs: fusion?.clockErrorMs,
    clockSpreadMs: fusion?.clockSpreadMs ?? 0,
  };
}
