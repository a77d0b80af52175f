import { SECOND_MS } from '#lib/time/time-units.ts';

/** Two rises in step: one rise may be the difference between two dead copies of a file behind one address. */
const RISES = 2;
/** Receivers write once a second. Lines that were kept in a buffer arrive within less. */
const RISE_APART_MS = 0.5 * SECOND_MS;
/** A clock that is read once a second, from a file written once a second, is seen up to two seconds late. */
const IN_STEP_MS = 2 * SECOND_MS;
/** Fixes of a running clock may arrive late or in another order by this much. */
const OUT_OF_STEP_MS = 5 * SECOND_MS;
/** A machine restarts within such a gap, and may then serve an old file. */
const GAP_MAX_MS = 30 * SECOND_MS;
/** The start is moved up this often, so that a drifting clock stays in step. */
const MOVED_EVERY_MS = 60 * SECOND_MS;

/** Tells a clock that is wrong but runs from the clock of an old message: only the first one advances with ours. */
export class RunningClock {
  #startFeedMs = Number.NaN;
  #startMs = Number.NaN;
  #highestMs = Number.NEGATIVE_INFINITY;
  #roseMs = Number.NEGATIVE_INFINITY;
  #rises = 0;
  #isRunning = false;

  /** Whether it was last seen to advance with our clock. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * @param feedMs what the feed's clock showed when a message was written, another time than in the last message
   * @param writtenMs when that was on our clock, as far as is known
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
