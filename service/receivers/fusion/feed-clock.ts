import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { FeedDelivery, Fix } from '../fix.ts';
import type { TimedFix } from './gate.ts';

export interface ClockState {
  readonly basis: TimeBasis;
  /** The clock's error: positive if it is ahead of ours, `undefined` without times. */
  readonly errorMs: number | undefined;
  readonly spreadMs: number;
  readonly isDoubtful: boolean;
}

interface TimedMessage {
  readonly fixes: readonly TimedFix[];
  readonly undated: number;
  readonly clock: ClockState;
}

/** A time of the track that is older than its reception by more does not count. */
const TRACK_TIME_MAX_AGE_MS = 5 * SECOND_MS;
/** Messages may arrive out of order by less: a greater step back is a clock that was set. */
export const SET_BACK_MS = 5 * SECOND_MS;

/**
 * Dates fixes on our clock. It knows the clock of each feed, and never trusts a time of which it cannot tell how old it
 * is.
 */
export class FeedTimes {
  #clocks = new Map<string, FeedClock>();
  #latestMs = Number.NEGATIVE_INFINITY;

  time(feedId: string, delivery: FeedDelivery, receivedAt: UpstreamInstant): TimedMessage {
    const { fixes, feedClockMs } = delivery;
    const receivedMs = epochMs(receivedAt);
    if (receivedMs < this.#latestMs - SET_BACK_MS) this.reset();
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

  reset(): void {
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

/** The newest time of the feed in these fixes: a stream states its clock only there. */
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

export type TimeBasis = 'feed' | 'corrected' | 'arrival';

/** A smaller error stays uncorrected: network delay looks like one. */
const LEFT_ALONE_MS = 500;
/** A corrected error has to fall below this before it stays uncorrected: times must not jump. */
const LEFT_ALONE_AGAIN_MS = 300;
/** A greater error is not corrected: an old message looks like one, and must not become new. */
const ERROR_MAX_MS = 5 * SECOND_MS;
const SPREAD_MAX_MS = 2 * SECOND_MS;

const SLICE_MESSAGES = 10;
const SLICE_MS = 5 * SECOND_MS;
const SLICES = 6;
/** From so many slices on, the spread leaves out the lowest and the highest. */
const TRIMMED_FROM = 4;
const FORGOTTEN_AFTER_MS = 5 * MINUTE_MS;

/** How wrong a time may be: the uncorrected error, or for times of arrival the delay. */
const SLACK_MS = LEFT_ALONE_MS;
const ARRIVAL_SLACK_MS = SECOND_MS;
const DOUBTFUL_SLACK_MS = ERROR_MAX_MS;

/**
 * How far the clock of one feed is ahead of ours. Delay makes each comparison too low, so the greatest in a slice of
 * messages counts. The median of slices ignores a wrong stamp; their spread shows whether the clock is steady.
 */
export class FeedClock {
  #slices: number[] = [];
  #openMs = Number.NEGATIVE_INFINITY;
  #openCount = 0;
  #openedMs = 0;
  readonly #running = new RunningClock();
  #lastFeedMs = Number.NaN;
  #lastReceivedMs = Number.NEGATIVE_INFINITY;
  #basis: TimeBasis = 'arrival';
  #errorMs: number | undefined;
  #spreadMs = 0;

  get basis(): TimeBasis {
    return this.#basis;
  }

  /** The clock's error: positive if it is ahead of ours, `undefined` without times. */
  get errorMs(): number | undefined {
    return this.#errorMs;
  }

  get spreadMs(): number {
    return this.#spreadMs;
  }

  /** Whether the clock is too wrong or unsteady to use. */
  get isDoubtful(): boolean {
    return this.#errorMs !== undefined && this.#basis === 'arrival';
  }

  /** Whether the clock is far off and was not seen running: the message may be old. */
  get isUndated(): boolean {
    return this.#errorMs !== undefined && Math.abs(this.#errorMs) > ERROR_MAX_MS && !this.#running.isRunning;
  }

  get slackMs(): number {
    if (this.#errorMs === undefined) return ARRIVAL_SLACK_MS;
    if (this.#basis === 'arrival') return DOUBTFUL_SLACK_MS;
    return this.#basis === 'corrected' && this.#errorMs < 0 ? SLACK_MS - this.#errorMs : SLACK_MS;
  }

  /**
   * @param feedMs the feed's clock when it sent a message, ms since 1970
   * @param receivedMs ms since 1970 on our clock
   */
  learn(feedMs: number, receivedMs: number): void {
    // An abandoned file has the same time at each poll.
    if (feedMs === this.#lastFeedMs) return;
    this.#lastFeedMs = feedMs;
    this.#running.learn(feedMs, receivedMs);
    if (Math.abs(receivedMs - this.#lastReceivedMs) > FORGOTTEN_AFTER_MS) {
      this.#slices = [];
      this.#openSlice(receivedMs);
    }
    this.#lastReceivedMs = receivedMs;
    if (this.#openCount >= SLICE_MESSAGES && receivedMs - this.#openedMs >= SLICE_MS) {
      this.#slices.push(this.#openMs);
      if (this.#slices.length > SLICES) this.#slices.shift();
      this.#openSlice(receivedMs);
    }
    const isGreater = feedMs - receivedMs > this.#openMs;
    if (isGreater) this.#openMs = feedMs - receivedMs;
    this.#openCount += 1;
    if (isGreater || this.#openCount === SLICE_MESSAGES) this.#estimate();
  }

  /**
   * The time of reception on our clock, never after arrival.
   * @param feedTimeMs reception on the feed's clock
   */
  receptionMs(feedTimeMs: number | undefined, feedClockMs: number | undefined, receivedMs: number): number {
    if (feedTimeMs === undefined) return receivedMs;
    if (this.#basis === 'arrival') {
      // An age is on one clock, so the clock's error cancels out.
      const ageMs = feedClockMs === undefined ? 0 : Math.max(0, feedClockMs - feedTimeMs);
      return Math.round(receivedMs - ageMs);
    }
    const errorMs = this.#basis === 'corrected' ? (this.#errorMs ?? 0) : 0;
    return Math.min(Math.round(feedTimeMs - errorMs), receivedMs);
  }

  #openSlice(receivedMs: number): void {
    this.#openMs = Number.NEGATIVE_INFINITY;
    this.#openCount = 0;
    this.#openedMs = receivedMs;
  }

  #estimate(): void {
    const slices = this.#slices.slice();
    if (slices.length === 0 || this.#openCount >= SLICE_MESSAGES) slices.push(this.#openMs);
    slices.sort((a, b) => a - b);
    const errorMs = slices[slices.length >> 1]!;
    this.#errorMs = errorMs;
    const leftOut = slices.length < TRIMMED_FROM ? 0 : 1;
    this.#spreadMs = slices[slices.length - 1 - leftOut]! - slices[leftOut]!;
    if (Math.abs(errorMs) > ERROR_MAX_MS || this.#spreadMs > SPREAD_MAX_MS) this.#basis = 'arrival';
    else if (Math.abs(errorMs) > LEFT_ALONE_MS) this.#basis = 'corrected';
    else if (this.#basis !== 'corrected' || Math.abs(errorMs) < LEFT_ALONE_AGAIN_MS) this.#basis = 'feed';
  }
}

/** A single rise may be the difference between two abandoned copies of a file. */
const RISES = 2;
/** Rises count if they are so far apart: buffered lines arrive closer together. */
const RISE_APART_MS = 0.5 * SECOND_MS;
/** A file written and polled once a second is read up to 2 s late. */
const IN_STEP_MS = 2 * SECOND_MS;
/** Fixes may arrive this late or out of order. */
const OUT_OF_STEP_MS = 5 * SECOND_MS;
/** After a longer gap the machine may have restarted with an old file. */
const GAP_MAX_MS = 30 * SECOND_MS;
/** The comparison moves on after so long, to keep a drifting clock in step. */
const MOVED_EVERY_MS = 60 * SECOND_MS;

/**
 * Whether a feed's clock runs. However wrong it is, a running clock advances with ours; the times of old messages
 * don't.
 */
export class RunningClock {
  #startFeedMs = Number.NaN;
  #startMs = Number.NaN;
  #highestMs = Number.NEGATIVE_INFINITY;
  #roseMs = Number.NEGATIVE_INFINITY;
  #rises = 0;
  #isRunning = false;

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * @param feedMs when it wrote a message, different from the last
   * @param writtenMs the same on our clock
   */
  learn(feedMs: number, writtenMs: number): void {
    const outOfStepMs = Math.abs(feedMs - this.#startFeedMs - (writtenMs - this.#startMs));
    const isInStep = outOfStepMs <= OUT_OF_STEP_MS && Math.abs(writtenMs - this.#roseMs) <= GAP_MAX_MS;
    if (!isInStep) this.#start(feedMs, writtenMs);
    else if (feedMs > this.#highestMs && writtenMs - this.#roseMs >= RISE_APART_MS) {
      this.#rise(feedMs, writtenMs, outOfStepMs);
    }
  }

  #rise(feedMs: number, writtenMs: number, outOfStepMs: number): void {
    this.#highestMs = feedMs;
    this.#roseMs = writtenMs;
    this.#rises += 1;
    if (this.#rises >= RISES && outOfStepMs <= IN_STEP_MS) this.#isRunning = true;
    if (this.#isRunning && writtenMs - this.#startMs > MOVED_EVERY_MS) {
      this.#startFeedMs = feedMs;
      this.#startMs = writtenMs;
    }
  }

  #start(feedMs: number, writtenMs: number): void {
    this.#startFeedMs = feedMs;
    this.#startMs = writtenMs;
    this.#highestMs = feedMs;
    this.#roseMs = writtenMs;
    this.#rises = 0;
    this.#isRunning = false;
  }
}
