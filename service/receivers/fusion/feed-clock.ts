import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { RunningClock } from './running-clock.ts';

/**
 * How the times of a feed are taken: as they are; with the error of its clock subtracted; or not at all, and what it
 * sends counts as received when it arrives.
 */
export type TimeBasis = 'feed' | 'corrected' | 'arrival';

/** An error below this is left alone: a network's delay looks the same. */
const LEFT_ALONE_MS = 500;
/** Once an error is subtracted it is until it is below this, so that times don't jump to and fro. */
const LEFT_ALONE_AGAIN_MS = 300;
/** A greater error is not subtracted: old messages look the same, and must not become new ones. */
const ERROR_MAX_MS = 5 * SECOND_MS;
const SPREAD_MAX_MS = 2 * SECOND_MS;

/** A slice has at least this many messages, and is at least this long. */
const SLICE_MESSAGES = 10;
const SLICE_MS = 5 * SECOND_MS;
const SLICES = 6;
/** Of as many, the first and the last are left out of the spread. */
const TRIMMED_FROM = 4;
/** After such a silence the clock may be another. */
const FORGOTTEN_AFTER_MS = 5 * MINUTE_MS;

/** What times may be wrong by: without a correction, by the error that is left alone; without a time, by the delay. */
const SLACK_MS = LEFT_ALONE_MS;
const ARRIVAL_SLACK_MS = SECOND_MS;
const DOUBTFUL_SLACK_MS = ERROR_MAX_MS;

/**
 * How far a feed's clock is ahead of ours. A message says what the feed's clock showed when it was sent; compared with
 * ours when it arrives, that is too little by the delay. So of each slice of some messages the greatest difference
 * counts: the median of all would be half a poll's interval off. Of the slices the median counts, so that one wrong
 * stamp changes nothing; and how far they lie apart shows whether the clock is steady enough to be used.
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

  /** How far the feed's clock is ahead of ours, in ms; negative if it is behind, undefined if it never said. */
  get errorMs(): number | undefined {
    return this.#errorMs;
  }

  /** How far the estimates of the last slices lie apart, in ms. */
  get spreadMs(): number {
    return this.#spreadMs;
  }

  /** The feed has a clock, but not one to be believed. */
  get isDoubtful(): boolean {
    return this.#errorMs !== undefined && this.#basis === 'arrival';
  }

  /**
   * The clock is far from ours and has not been seen to run: the message may be an old one, so nothing is known of when
   * its fixes were received.
   */
  get isUndated(): boolean {
    return this.#errorMs !== undefined && Math.abs(this.#errorMs) > ERROR_MAX_MS && !this.#running.isRunning;
  }

  /** What the times of this feed may be wrong by, in ms. A clock that is behind may be a delay instead. */
  get slackMs(): number {
    if (this.#errorMs === undefined) return ARRIVAL_SLACK_MS;
    if (this.#basis === 'arrival') return DOUBTFUL_SLACK_MS;
    return this.#basis === 'corrected' && this.#errorMs < 0 ? SLACK_MS - this.#errorMs : SLACK_MS;
  }

  /**
   * @param feedMs what the feed's clock showed when it sent a message, ms since 1970
   * @param receivedMs when the message arrived, on our clock
   */
  learn(feedMs: number, receivedMs: number): void {
    // A file that nobody writes any more is read again and again: its clock stands still, which says nothing.
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
   * When something was received, in whole ms on our clock, never later than it arrived.
   * @param feedTimeMs when, on the feed's clock
   * @param feedClockMs what that clock showed when the message was sent
   */
  receptionMs(feedTimeMs: number | undefined, feedClockMs: number | undefined, receivedMs: number): number {
    if (feedTimeMs === undefined) return receivedMs;
    if (this.#basis === 'arrival') {
      // The feed's clock may be wrong, but it is the same one at both ends of an age.
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
