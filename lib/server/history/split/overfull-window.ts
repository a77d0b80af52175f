import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { burstAtCut } from './burst-at-cut.ts';
import { shareThatCame } from './share-that-came.ts';
import { recordsBefore, type Stretch } from './stretch.ts';

/** If the times without records would have had this many at the rate of the others, the answer was cut off there. */
const CUT_RECORDS = 30;
/** An answer cut off at one end counts as complete up to there, with this margin, until that proves wrong. */
const CUT_EXCESS = 1.02;
/** From this many records on, a truncated answer indicates what it left out. */
const MEASURE_RECORDS = 50;
const RECORDS_OF_STRETCH = 25;
/** A longer time without records separates two stretches: sources round timestamps to steps of up to 10 s. */
const QUIET_MS = 10_000;
/** A second with so many records is a stretch of its own: more than what sources round to one time. */
const BURST_RECORDS = 100;
/** Below this share of the usual records, quiet times indicate how much is missing: at most `FACTOR_MAX` times what came. */
const SHARE_MAX = 0.97;
const FACTOR_MAX = 10;

export interface Guess {
  /** How far a window exceeds a page, as a factor over 1, where the answer does not indicate it. */
  readonly excess: number;
  /** Whether an answer cut off at one end may count as complete up to there. */
  readonly trustsCut: boolean;
  /** Usual records per millisecond at a time, as far as is known without the answer. */
  readonly rateAt: (atMs: number) => number;
}

/**
 * What a truncated answer indicates. Its records are a subset in no stated order: they are a lower bound for any part of the
 * window, and how far above it the truth lies is an estimate until some part is completely known.
 */
export class OverfullWindow {
  readonly window: Window;
  /** The records fill one end of the window only, as if they were the earliest or the latest. */
  readonly isCut: boolean;
  /** Times between which the records are about evenly spread. */
  readonly edgesMs: readonly number[];
  /** Ascending; not empty. */
  readonly #observedAts: Float64Array;
  /** Estimated ratio of all records to those that came. */
  #factor: number;
  /** Expected outside the times that came. */
  readonly #burst: Stretch | undefined;

  constructor(window: Window, observedAts: readonly UpstreamInstant[], { excess, trustsCut, rateAt }: Guess) {
    this.window = window;
    const isMeasure = observedAts.length >= MEASURE_RECORDS;
    this.#observedAts = isMeasure ? Float64Array.from(observedAts, epochMs).sort() : evenly(window);
    this.isCut = trustsCut && this.#fillsOneEnd();
    // A source that is overfull before it filters by layer counts as a full page, however few records came.
    const toPage = LIMIT_MAX / this.#observedAts.length;
    this.#factor = toPage * (this.isCut ? CUT_EXCESS : excess);
    if (this.isCut) this.#burst = this.#burstAtCut(rateAt);
    else if (isMeasure) {
      const share = shareThatCame(window, (startMs, endMs) => this.#came(startMs, endMs), rateAt);
      if (share !== undefined && share < SHARE_MAX) this.#factor = Math.max(toPage, Math.min(FACTOR_MAX, 1 / share));
    }
    const ofBurst = this.#burst ? [this.#burst.startMs, this.#burst.endMs] : [];
    this.edgesMs = [...edgesOf(this.#observedAts, window), this.#last + 1, ...ofBurst];
  }

  /** Records to expect between two times inside the window; 0 may mean that none of them came. */
  expected(startMs: number, endMs: number): number {
    const burst = this.#burst ? [this.#burst] : [];
    const ofBurst = recordsBefore(burst, endMs) - recordsBefore(burst, startMs);
    return this.#came(startMs, endMs) * this.#factor + ofBurst;
  }

  /** Whether a cut-off answer implied that this window would fit a page. */
  promised({ start, end }: Window): boolean {
    return (
      this.isCut &&
      epochMs(start) >= this.#first &&
      epochMs(end) <= this.#last &&
      this.expected(epochMs(start), epochMs(end)) < LIMIT_MAX
    );
  }

  /**
   * Learns from a complete part of the window: the rest exceeds the answer by the same factor.
   * @returns that factor, at least 1; `undefined` where the answer had too few records of the part
   */
  measured({ start, end }: Window, records: number): number | undefined {
    if (start < this.window.start || end > this.window.end) return undefined;
    const came = this.#came(epochMs(start), epochMs(end));
    if (came < MEASURE_RECORDS) return undefined;
    this.#factor = Math.max(1, records / came);
    return this.#factor;
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

function edgesOf(observedAts: Float64Array, { start, end }: Window): readonly number[] {
  const edges = [epochMs(start), epochMs(end)];
  let begun = 0;
  observedAts.forEach((atMs, index) => {
    const secondMs = secondOf(atMs);
    const nextMs = observedAts[index + 1] ?? epochMs(end);
    if (index === begun) edges.push(secondMs);
    // Spread over both, a burst would seem to begin with each second of the quiet time after it.
    const isQuietAfter = nextMs - atMs > QUIET_MS;
    const isBurst = secondOf(observedAts[index - BURST_RECORDS + 1] ?? 0) === secondMs;
    if (isQuietAfter || (isBurst && secondOf(nextMs) > secondMs)) edges.push(secondMs + SECOND_MS);
    if (isQuietAfter || index + 1 === begun + RECORDS_OF_STRETCH) begun = index + 1;
  });
  return edges;
}

function secondOf(atMs: number): number {
  return Math.floor(atMs / SECOND_MS) * SECOND_MS;
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
