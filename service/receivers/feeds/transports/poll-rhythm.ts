/** How much earlier each poll comes until one finds nothing new: then the time of the change is known. */
const SEARCH_PART = 0.1;
/** Ten such steps reach back a whole interval; some more, because no clock is exact. */
const SEARCH_MAX = 15;
/** The same once it is known, so that a slow drift of either clock is followed. */
const FOLLOW_PART = 0.04;
/** After this part of an interval a poll that came too early is repeated. */
const AGAIN_PART = 0.1;
/** As often in a row: a writer that is this late has probably stopped. */
const AGAIN_MAX = 3;

/**
 * When to poll what is written once in each interval, so that each version is read soon after it was written: a poll of the same
 * length at any other time is half an interval late on average. An answer that is made for each request is never found unchanged; it is
 * polled once in each interval.
 */
export class PollRhythm {
  readonly #intervalMs: number;
  /** Polls in a row that found something new, none of them after one that came too early. */
  #searched = 0;
  #isKnown = false;
  #unchanged = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /**
   * @param isNew whether the poll found something new
   * @returns milliseconds from the start of this poll to the next
   */
  nextMs(isNew: boolean): number {
    if (!isNew) {
      this.#unchanged += 1;
      this.#searched = 0;
      this.#isKnown = this.#unchanged <= AGAIN_MAX;
      return this.#intervalMs * (this.#isKnown ? AGAIN_PART : 1);
    }
    this.#unchanged = 0;
    if (this.#isKnown) return this.#intervalMs * (1 - FOLLOW_PART);
    this.#searched += 1;
    return this.#intervalMs * (this.#searched > SEARCH_MAX ? 1 : 1 - SEARCH_PART);
  }
}
