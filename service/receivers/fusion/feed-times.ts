import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Delivery, Fix } from '../fix.ts';
import { FeedClock, type TimeBasis } from './feed-clock.ts';
import type { TimedFix } from './gate.ts';

/** What is known of a feed's clock. */
export interface ClockState {
  readonly basis: TimeBasis;
  /** How far it is ahead of ours, in ms; undefined if it has not said. */
  readonly errorMs: number | undefined;
  /** How far the estimates of that lie apart. */
  readonly spreadMs: number;
  /** The feed has a clock, but not one to be believed. */
  readonly isDoubtful: boolean;
}

/** The fixes of one message. */
interface TimedMessage {
  readonly fixes: readonly TimedFix[];
  /** How many more fixes it had, with unknown times of reception: it may be an old message. */
  readonly undated: number;
  /** As it was estimated with this message. */
  readonly clock: ClockState;
}

/** The track's own time is believed if it is no older than this when it is received. */
const TRACK_TIME_MAX_AGE_MS = 5 * SECOND_MS;
/** A feed may deliver messages in another order than they came, by less than this. */
export const SET_BACK_MS = 5 * SECOND_MS;

/** When what feeds sent was observed, on our clock: one estimate of each feed's clock. */
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

  /** Our clock was set back: what was learnt is of another time. */
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

/** The clock of a stream, which says it with each fix only. */
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
