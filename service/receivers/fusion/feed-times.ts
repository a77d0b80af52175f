import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Delivery, Fix } from '../fix.ts';
import { FeedClock, type TimeBasis } from './feed-clock.ts';
import type { TimedFix } from './gate.ts';

export interface ClockState {
  readonly basis: TimeBasis;
  /** Positive if it is ahead of ours. `undefined` without times. */
  readonly errorMs: number | undefined;
  readonly spreadMs: number;
  readonly isDoubtful: boolean;
}

interface TimedMessage {
  readonly fixes: readonly TimedFix[];
  readonly undated: number;
  readonly clock: ClockState;
}

/** An older time of the track does not count. */
const TRACK_TIME_MAX_AGE_MS = 5 * SECOND_MS;
/** Messages may arrive out of order by less. */
export const SET_BACK_MS = 5 * SECOND_MS;

export class FeedTimes {
  #clocks = new Map<string, FeedClock>();
  #latestMs = Number.NEGATIVE_INFINITY;

  time(feedId: string, delivery: Delivery, receivedAt: UpstreamInstant): TimedMessage {
    const { fixes, feedClockMs } = delivery;
    const receivedMs = epochMs(receivedAt);
    if (receivedMs < this.#latestMs - SET_BACK_MS) this.startAnew();
    this.#latestMs = Math.max(this.#latestMs, receivedMs);
    const clock = this.#clockOf(feedId);
    const writtenMs = receivedMs - (delivery.writtenAgoMs ?? 0);
    const feedMs = feedClockMs ?? latestTimeMs(fixes);
    if (feedMs !== undefined) clock.learn(feedMs, writtenMs);
    const isUndated = feedMs === undefined ? delivery.mayBeOld === true : clock.isUndated;
    if (isUndated) return { fixes: [], undated: fixes.length, clock: stateOf(clock) };
    const timed = fixes.map((fix) => {
      const receptionMs =
        fix.queuedSinceMs === undefined
          ? clock.receptionMs(fix.feedTimeMs, feedClockMs, writtenMs)
          : clock.receptionMs(fix.feedTimeMs, undefined, Math.min(fix.queuedSinceMs, receivedMs));
      return isBelievable(fix.trackTimeMs, receptionMs)
        ? { fix, observedMs: fix.trackTimeMs, slackMs: 0 }
        : { fix, observedMs: receptionMs, slackMs: clock.slackMs };
    });
    return { fixes: timed, undated: 0, clock: stateOf(clock) };
  }

  startAnew(): void {
    this.#clocks = new Map();
    this.#latestMs = Number.NEGATIVE_INFINITY;
  }

  #clockOf(feedId: string): FeedClock {
    let clock = this.#clocks.get(feedId);
    if (clock === undefined) {
      clock = new FeedClock();
      this.#clocks.set(feedId, clock);
    }
    return clock;
  }
}

function stateOf({ basis, errorMs, spreadMs, isDoubtful }: FeedClock): ClockState {
  return { basis, errorMs, spreadMs, isDoubtful };
}

/** Streams have a clock only in their fixes. */
function latestTimeMs(fixes: readonly Fix[]): number | undefined {
  let latestMs: number | undefined;
  for (const { feedTimeMs, queuedSinceMs } of fixes) {
    if (queuedSinceMs === undefined && feedTimeMs !== undefined && (latestMs === undefined || feedTimeMs > latestMs))
      latestMs = feedTimeMs;
  }
  return latestMs;
}

function isBelievable(trackTimeMs: number | undefined, receptionMs: number): trackTimeMs is number {
  return trackTimeMs !== undefined && trackTimeMs <= receptionMs && receptionMs - trackTimeMs <= TRACK_TIME_MAX_AGE_MS;
}
