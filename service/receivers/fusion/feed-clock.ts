import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { RunningClock } from './running-clock.ts';

export type TimeBasis = 'feed' | 'corrected' | 'arrival';

/** Network delay looks like a smaller error, which stays uncorrected. */
const LEFT_ALONE_MS = 500;
/** Hysteresis, so that times don't jump. */
const LEFT_ALONE_AGAIN_MS = 300;
/** An old message looks like a greater error, and must not become new. */
const ERROR_MAX_MS = 5 * SECOND_MS;
const SPREAD_MAX_MS = 2 * SECOND_MS;

const SLICE_MESSAGES = 10;
const SLICE_MS = 5 * SECOND_MS;
const SLICES = 6;
/** From so many slices on, the spread leaves out the lowest and the highest. */
const TRIMMED_FROM = 4;
const FORGOTTEN_AFTER_MS = 5 * MINUTE_MS;

/** The uncorrected error, or for arrival times the delay. */
const SLACK_MS = LEFT_ALONE_MS;
const ARRIVAL_SLACK_MS = SECOND_MS;
const DOUBTFUL_SLACK_MS = ERROR_MAX_MS;

/**
 * Delay makes each comparison too low, so the greatest in a slice of messages counts. The median of slices ignores a
 * wrong stamp; their spread shows whether the clock is steady.
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

  /** Positive if it is ahead of ours. `undefined` without times. */
  get errorMs(): number | undefined {
    return this.#errorMs;
  }

  get spreadMs(): number {
    return this.#spreadMs;
  }

  /** Too wrong or unsteady to use. */
  get isDoubtful(): boolean {
    return this.#errorMs !== undefined && this.#basis === 'arrival';
  }

  /** Far off and not seen running: the message may be old. */
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
   * On our clock, never after arrival.
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
