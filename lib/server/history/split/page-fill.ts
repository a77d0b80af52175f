import 'server-only';

/** A first guess, before a prediction was compared with an answer. */
const FIRST_DEVIATION = 0.2;
/** What predictions from measured neighbours are off by on the Swiss recording (about a tenth), a little hopeful. */
const MEASURED_DEVIATION = 0.06;
/** Weight of the newest comparison. */
const LEARNING = 0.1;
/** Fill given up for each unit of deviation, and its bounds: found best on average over the cases of bench/split.ts. */
const CAUTION = 1.2;
const MIN = 0.84;
const MAX = 0.93;
/** Counts below are too small to say how good a prediction was; one outlier tells no more than this. */
const COMPARED_RECORDS = 100;
const WORST_DEVIATION = 0.5;

/** How full a page is aimed at: the fuller, the surer the predictions were lately. */
export class PageFill {
  #variance = FIRST_DEVIATION ** 2;
  #isFirst = true;

  /** Part of a page. */
  get target(): number {
    return Math.min(MAX, Math.max(MIN, 1 - CAUTION * Math.sqrt(this.#variance)));
  }

  learn(expected: number, records: number): void {
    if (Math.max(expected, records) < COMPARED_RECORDS) return;
    if (this.#isFirst) {
      // How far a prior was off says nothing of predictions from what was measured.
      this.#isFirst = false;
      this.#variance = MEASURED_DEVIATION ** 2;
      return;
    }
    const deviation = Math.min(WORST_DEVIATION, Math.abs(Math.log((records + 20) / (expected + 20))));
    this.#variance += LEARNING * (deviation ** 2 - this.#variance);
  }
}
