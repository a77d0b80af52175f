import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { burstAtCut } from './burst-at-cut.ts';
import { shareThatCame } from './share-that-came.ts';
import { recordsBefore, type Stretch } from './stretch.ts';

/** So many records would be expected outside the answered times, were they like those inside: then the answer was cut there. */
const CUT_RECORDS = 30;
/** An answer cut at one end is taken as whole up to there, with so much room, until that proves wrong. */
const CUT_EXCESS = 1.02;
/** So many records of a truncated answer are a measure of what it left out. */
const MEASURE_RECORDS = 50;
const RECORDS_OF_STRETCH = 25;
/** Where less than this came of quiet times, they tell how much of all is missing: at most so many times what came. */
const SHARE_MAX = 0.97;
const FACTOR_MAX = 10;

export interface Guess {
  /** By how much a window exceeds a page, as a factor over 1, where the answer doesn't tell. */
  readonly excess: number;
  /** Whether an answer that is cut at one end may be taken as whole up to there. */
  readonly trustsCut: boolean;
  /** Usual records a millisecond at an instant, as far as is known without the answer. */
  readonly rateAt: (atMs: number) => number;
}

/**
 * What a truncated answer tells. What came is a subset of what is there, in no stated order: it bounds the records of any
 * part of the window from below, and how far above it they are is a guess until some part is known whole.
 */
export class OverfullWindow {
  readonly window: Window;
  /** What came fills one end of the window only, as if it were the earliest or the latest. */
  readonly isCut: boolean;
  /** Ascending, at least one. */
  readonly #observedAts: Float64Array;
  /** There are this many times the records that came. */
  #factor: number;
  /** Outside of what came. */
  readonly #burst: Stretch | undefined;

  constructor(window: Window, observedAts: readonly UpstreamInstant[], { excess, trustsCut, rateAt }: Guess) {
    this.window = window;
    const tells = observedAts.length >= MEASURE_RECORDS;
    this.#observedAts = tells ? Float64Array.from(observedAts, epochMs).sort() : evenly(window);
    this.isCut = trustsCut && this.#fillsOneEnd();
    // A source that is overfull before it is filtered to the layer counts as a full page, however few records came.
    const toPage = LIMIT_MAX / this.#observedAts.length;
    this.#factor = toPage * (this.isCut ? CUT_EXCESS : excess);
    if (this.isCut) this.#burst = this.#burstAtCut(rateAt);
    else if (tells) {
      const share = shareThatCame(window, (startMs, endMs) => this.#came(startMs, endMs), rateAt);
      if (share !== undefined && share < SHARE_MAX) this.#factor = Math.max(toPage, Math.min(FACTOR_MAX, 1 / share));
    }
  }

  /** Records to expect between two instants inside the window; 0 may mean that nothing of it came. */
  expected(startMs: number, endMs: number): number {
    const burst = this.#burst ? [this.#burst] : [];
    const ofBurst = recordsBefore(burst, endMs) - recordsBefore(burst, startMs);
    return this.#came(startMs, endMs) * this.#factor + ofBurst;
  }

  /** Whether the answer, if cut, said that this window would fit a page. */
  promised({ start, end }: Window): boolean {
    return (
      this.isCut &&
      epochMs(start) >= this.#first &&
      epochMs(end) <= this.#last &&
      this.expected(epochMs(start), epochMs(end)) < LIMIT_MAX
    );
  }

  /**
   * A part of the window is known whole: the rest exceeds the answer by as much.
   * @returns that factor, at least 1; `undefined` where the answer had too little of the part to tell
   */
  measured({ start, end }: Window, records: number): number | undefined {
    if (start < this.window.start || end > this.window.end) return undefined;
    const came = this.#came(epochMs(start), epochMs(end));
    if (came < MEASURE_RECORDS) return undefined;
    this.#factor = Math.max(1, records / came);
    return this.#factor;
  }

  /** Instants between which the records lie about evenly. */
  edgesMs(): readonly number[] {
    const edges: number[] = [epochMs(this.window.start), epochMs(this.window.end), this.#last + 1];
    if (this.#burst) edges.push(this.#burst.startMs, this.#burst.endMs);
    for (let index = 0; index < this.#observedAts.length; index += RECORDS_OF_STRETCH) {
      edges.push(Math.floor((this.#observedAts[index] as number) / 1000) * 1000);
    }
    return edges;
  }

  get #first(): number {
    return this.#observedAts[0] as number;
  }

  get #last(): number {
    return this.#observedAts[this.#observedAts.length - 1] as number;
  }

  #fillsOneEnd(): boolean {
    const outsideMs = Math.max(this.#first - epochMs(this.window.start), epochMs(this.window.end) - this.#last);
    return outsideMs * this.#observedAts.length > CUT_RECORDS * (this.#last - this.#first);
  }

  #burstAtCut(rateAt: (atMs: number) => number): Stretch | undefined {
    const isMissing =
      this.#first - epochMs(this.window.start) > epochMs(this.window.end) - this.#last ? 'earlier' : 'later';
    const ascending = Array.from(this.#observedAts);
    const fromCut = isMissing === 'earlier' ? ascending : ascending.reverse();
    return burstAtCut(fromCut, isMissing, rateAt(fromCut[0] as number));
  }

  #came(startMs: number, endMs: number): number {
    return countBelow(this.#observedAts, endMs) - countBelow(this.#observedAts, startMs);
  }
}

function evenly({ start, end }: Window): Float64Array {
  const stepMs = msBetween(start, end) / LIMIT_MAX;
  return Float64Array.from({ length: LIMIT_MAX }, (_, index) => epochMs(start) + (index + 0.5) * stepMs);
}

function countBelow(ascending: Float64Array, limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
