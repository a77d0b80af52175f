/** Each poll comes earlier by this part of the interval until one finds nothing new. Then the time of the change is known. */
const SEARCH_PART = 0.1;
/** Ten such steps cover an interval. The rest allows for inexact clocks. */
const SEARCH_MAX = 15;
/** The same once the time is known, to follow the clocks' drift. */
const FOLLOW_PART = 0.04;
/** A poll that came too early is repeated after this part of an interval. */
const AGAIN_PART = 0.1;
/** After this many early polls in a row, the writer has probably stopped. */
const AGAIN_MAX = 3;

/**
 * Times polls of a file that is written once per interval, so that each version is read soon after it is written. Otherwise a poll is half
 * an interval late on average. Answers that are rendered per request are never unchanged, and are polled once per interval.
 */
export class PollRhythm {
  readonly #intervalMs: number;
  /** New results in a row, before the time is known. */
  #searched = 0;
  #isKnown = false;
  #unchanged = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /**
   * @param isNew whether the poll found something new
   * @returns ms from the start of this poll to the next
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
