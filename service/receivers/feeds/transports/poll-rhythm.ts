/** Polls come earlier by this part until one finds nothing new, which reveals the time of the change. */
const SEARCH_PART = 0.1;
/** Ten steps cover an interval. The rest allows for inexact clocks. */
const SEARCH_MAX = 15;
/** Follows drift once the time is known. */
const FOLLOW_PART = 0.04;
/** Delay after a poll that came too early. */
const AGAIN_PART = 0.1;
/** After so many, the writer has probably stopped. */
const AGAIN_MAX = 3;

/** Reads each version of a file soon after it is written, not half an interval late on average. */
export class PollRhythm {
  readonly #intervalMs: number;
  #searched = 0;
  #isKnown = false;
  #unchanged = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** @returns ms from the start of this poll to the next */
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
