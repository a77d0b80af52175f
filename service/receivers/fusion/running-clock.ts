import { SECOND_MS } from '#lib/time/time-units.ts';

/** One rise may be the difference between two abandoned copies of a file. */
const RISES = 2;
/** Buffered lines arrive closer together. */
const RISE_APART_MS = 0.5 * SECOND_MS;
/** A file written and polled once a second is read up to 2 s late. */
const IN_STEP_MS = 2 * SECOND_MS;
/** Fixes may arrive this late or out of order. */
const OUT_OF_STEP_MS = 5 * SECOND_MS;
/** After a longer gap the machine may have restarted with an old file. */
const GAP_MAX_MS = 30 * SECOND_MS;
/** Keeps a drifting clock in step. */
const MOVED_EVERY_MS = 60 * SECOND_MS;

/** Only a running clock, however wrong, advances with ours. Old messages' times don't. */
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
