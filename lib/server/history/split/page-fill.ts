import 'server-only';

/** Initial value, before any prediction was compared with an answer. */
const FIRST_DEVIATION = 0.2;
/** Deviation of predictions from measured neighbours on the Swiss recording (about 0.1), a little optimistic. */
const MEASURED_DEVIATION = 0.06;
/** Weight of the newest comparison. */
const LEARNING = 0.1;
/** Fill given up per unit of deviation, and its limits: found best on average over the cases of bench/split.ts. */
const CAUTION = 1.2;
const MIN = 0.84;
const MAX = 0.93;
/** Smaller counts do not show how good a prediction was; one outlier counts for no more than `WORST_DEVIATION`. */
const COMPARED_RECORDS = 100;
const WORST_DEVIATION = 0.5;

/** How full to plan a page: fuller when recent predictions were better. */
export class PageFill {
  #variance = FIRST_DEVIATION ** 2;
  #isFirst = true;

  /** Share of a page. */
  get target(): number {
    return Math.min(MAX, Math.max(MIN, 1 - CAUTION * Math.sqrt(this.#variance)));
  }

  learn(expected: number, records: number): void {
    if (Math.max(expected, records) < COMPARED_RECORDS) return;
    if (this.#isFirst) {
      // The error of a prior says nothing about predictions from measurements.
      this.#isFirst = false;
      this.#variance = MEASURED_DEVIATION ** 2;
      return;
    }
    const deviation = Math.min(WORST_DEVIATION, Math.abs(Math.log((records + 20) / (expected + 20))));
    this.#variance += LEARNING * (deviation ** 2 - this.#variance);
  }
}
