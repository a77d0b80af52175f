import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { addMs, epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { cutsInside, halvesOf, isSmallestWindow, secondOf, startOfSecond } from './whole-seconds.ts';

// Means of `bench split` (rate known) next to each value: Swiss hours 1.35, bursts 1.93 requests per full page.

/** Sources round times to steps of up to 10 s. */
const PIECE_S = 10;
/** Pieces on either side: ten minutes. */
const NEAREST_PIECES = 60;
/** The distance at which a piece counts a quarter. Without: Swiss hours 1.40. */
const NEAR_S = 180;
/** The share left out at either end of the sorted rates: a burst, or a pause, does not predict what follows. */
const TRIM = 0.35;
/** A truncated answer's window exceeds a page by about a tenth: predictions deviate by that. */
const EXCESS = 0.12;
/** The prior's error is unknown, so the window is halved. */
const PAGES_UNMEASURED = 2;
/** The largest factor, since ratios of few records vary. */
const FACTOR_MAX = 10;
/** An answer was cut off where times without records would have this many. Without cuts: bursts 2.4. */
const CUT_RECORDS = 30;
/** Up to the cut an answer is complete, except for its last second. */
const CUT_FACTOR = 1.02;
/** A second with this many times the usual records is in a burst, which goes on behind a cut. Without: bursts 2.3. */
const BURST_LEVEL = 3;
/** Fewer pieces may all lie in a burst. */
const PIECES_MIN = 4;
/** So many records measure a rate: their number varies by a seventh, and that of fewer by more. */
const MEASURE_RECORDS = 50;
/**
 * Predictions deviate by a tenth. At 0.83 Swiss hours take 1.33 requests per page instead of 1.34, bursts 1.97 instead
 * of 1.93.
 */
const FILL = 0.87;
/** A smallest window is only known to exceed a page. */
const TOO_DENSE_RECORDS = 1.5 * LIMIT_MAX;

/** Time that may be requested, and the end at which its next part lies. */
export interface UnreadSpan {
  readonly window: Window;
  readonly end: 'start' | 'end';
}

interface Piece {
  readonly startS: number;
  readonly lengthS: number;
  readonly records: number;
}

interface Overfull {
  readonly window: Window;
  /** The seconds that an answer claims to be whole, where it is cut off at one end. */
  readonly claimed: { readonly first: number; readonly last: number } | undefined;
}

/** Estimates the records of a box over time from the answers so far, and places the next part by that. */
export class Density {
  readonly #prior: (second: number) => number;
  readonly #pieces: Piece[] = [];
  readonly #overfull: Overfull[] = [];
  /** Records that truncated answers suggest, by second. */
  readonly #suggested = new Map<number, number>();
  #trustsCut = true;

  /** @param prior records per second, until something is measured */
  constructor(prior: (second: number) => number) {
    this.#prior = prior;
  }

  get isMeasured(): boolean {
    return this.#pieces.length > 0;
  }

  /** @param observedAts if missing, the records count as evenly spread */
  learnWhole(window: Window, records: number, observedAts: readonly UpstreamInstant[] | undefined): void {
    this.#rescale(window, records);
    this.#add(piecesOf(window, records, observedAts));
  }

  /** @param returned a subset, in no stated order */
  learnOverfull(window: Window, returned: readonly UpstreamInstant[]): void {
    const observedAts = returned.length >= MEASURE_RECORDS ? returned : evenly(window);
    const [start, end] = [secondOf(window.start), secondOf(window.end)];
    if (this.#overfull.some(({ claimed }) => claimed && claimed.first <= start && end <= claimed.last))
      this.#trustsCut = false;
    const seconds = observedAts.map(secondOf).sort((a, b) => a - b);
    const [first = start, last = end] = [seconds[0], seconds.at(-1)];
    const outsideS = Math.max(first - start, end - last);
    const isCut = this.#trustsCut && outsideS * seconds.length > CUT_RECORDS * Math.max(1, last - first);
    const rate = this.rateAt((start + end) / 2);
    const factor = isCut ? CUT_FACTOR : this.#factor(window, observedAts, rate);
    this.#overfull.unshift({ window, claimed: isCut ? { first, last } : undefined });
    for (let second = start; second <= end; second++) this.#suggested.delete(second);
    for (const second of seconds) this.#suggest(second, factor);
    if (isCut)
      this.#continueBurst(first - start > end - last ? first : last, first - start > end - last ? -1 : 1, rate);
  }

  /** Learns that even the smallest window exceeds a page: a lower bound for the neighbourhood. */
  learnTooDense({ start }: Window): void {
    this.#add([{ startS: secondOf(start), lengthS: 1, records: TOO_DENSE_RECORDS }]);
  }

  /** Records per second. Without complete parts, the prior or what overfull windows suggest. */
  rateAt(second: number): number {
    if (!this.isMeasured) {
      const suggested = this.#overfull.map(
        ({ window }) => (PAGES_UNMEASURED * LIMIT_MAX * SECOND_MS) / windowLengthMs(window),
      );
      return Math.max(this.#prior(second), ...suggested);
    }
    const after = this.#pieces.findIndex(({ startS }) => startS >= second);
    const middle = after === -1 ? this.#pieces.length : after;
    const near = this.#pieces.slice(Math.max(0, middle - NEAREST_PIECES), middle + NEAREST_PIECES);
    return trimmedMean(
      near.map(({ startS, lengthS, records }) => {
        const distanceS = Math.max(0, startS - second, second - startS - lengthS);
        return { value: records / lengthS, weight: lengthS / (1 + distanceS / NEAR_S) ** 2 };
      }),
    );
  }

  #suggestedAt(second: number): number {
    return this.#suggested.get(second) ?? 0;
  }

  pagesExpected(gap: UnreadSpan): number {
    return this.#expected(gap) / LIMIT_MAX;
  }

  partsNeeded(gap: UnreadSpan, maxPartMs: number): number {
    return Math.max(1, Math.ceil(this.pagesExpected(gap) / FILL), Math.ceil(windowLengthMs(gap.window) / maxPartMs));
  }

  /** The window of the next part, at one end of the gap. Parts are planned equally full, and never cover a window that exceeds a page. */
  placePart(gap: UnreadSpan, maxPartMs: number): Window {
    let { window } = gap;
    const parts = this.partsNeeded(gap, maxPartMs);
    if (parts > 1 && !isSmallestWindow(window)) {
      const wanted = this.#expected(gap) / parts;
      const maxS = maxPartMs / SECOND_MS;
      const { first, last } = cutsInside(window);
      const isForwards = gap.end === 'start';
      const [from, step] = isForwards ? [first - 1, 1] : [last, -1];
      const rate = this.rateAt(from);
      let seconds = 0;
      for (let records = 0; seconds < Math.min(maxS, last - first + 1); seconds++) {
        records += Math.max(rate, this.#suggestedAt(from + step * seconds));
        if (records > wanted && seconds > 0) break;
      }
      const at = startOfSecond(isForwards ? from + Math.max(1, seconds) : last + 1 - Math.max(1, seconds));
      window = isForwards ? { ...window, end: at } : { ...window, start: at };
    }
    for (let known = this.#overfullWithin(window); known; known = this.#overfullWithin(window)) {
      const [{ end: middle }] = halvesOf(known);
      window = gap.end === 'start' ? { ...window, end: middle } : { ...window, start: middle };
    }
    return window;
  }

  /** @returns how many records the gap has */
  #expected({ window, end }: UnreadSpan): number {
    const { first, last } = cutsInside(window);
    const rate = this.rateAt(end === 'start' ? first - 1 : last + 1);
    let records = 0;
    for (let second = first - 1; second <= last; second++) records += Math.max(rate, this.#suggestedAt(second));
    return records;
  }

  #overfullWithin({ start, end }: Window): Window | undefined {
    return this.#overfull
      .map(({ window }) => window)
      .filter((window) => window.start >= start && window.end <= end)
      .sort((a, b) => windowLengthMs(a) - windowLengthMs(b))[0];
  }

  /** The ratio of all records to those of a truncated answer. */
  #factor(window: Window, observedAts: readonly UpstreamInstant[], rate: number): number {
    const toPage = LIMIT_MAX / observedAts.length;
    const around = this.#overfull.filter((each) => each.window.start <= window.start && each.window.end >= window.end);
    if (!this.isMeasured) return toPage * PAGES_UNMEASURED;
    const sampled = piecesOf(window, observedAts.length, observedAts);
    const returned = trimmedMean(
      sampled.map(({ records, lengthS }) => ({ value: records / lengthS, weight: lengthS })),
    );
    // Bursts are mostly short: quiet times show the returned share of the records.
    if (sampled.length >= PIECES_MIN && returned > 0 && returned < rate)
      return Math.max(toPage, Math.min(FACTOR_MAX, rate / returned));
    // Each estimate that was too low makes the next one larger.
    return toPage * Math.min(FACTOR_MAX, 1 + EXCESS * 2 ** around.length);
  }

  #suggest(second: number, records: number): void {
    this.#suggested.set(second, (this.#suggested.get(second) ?? 0) + records);
  }

  /** A burst in which an answer was cut off is expected to last as long again. */
  #continueBurst(edge: number, away: 1 | -1, rate: number): void {
    for (let seen = 0; this.#suggestedAt(edge - away * seen) > BURST_LEVEL * rate; seen++)
      this.#suggest(edge + away * (seen + 1), this.#suggestedAt(edge - away * seen));
  }

  /** Shows how far the rest exceeds what was returned. */
  #rescale({ start, end }: Window, records: number): void {
    for (const { window, claimed } of this.#overfull) {
      if (claimed || window.start > start || window.end < end) continue;
      let suggested = 0;
      for (let second = secondOf(start); second < secondOf(end); second++) suggested += this.#suggestedAt(second);
      if (suggested < MEASURE_RECORDS) continue;
      for (let second = secondOf(window.start); second <= secondOf(window.end); second++) {
        const before = this.#suggested.get(second);
        if (before !== undefined) this.#suggested.set(second, (before * records) / suggested);
      }
      return;
    }
  }

  #add(pieces: readonly Piece[]): void {
    const startS = pieces[0]?.startS ?? 0;
    const after = this.#pieces.findIndex((piece) => piece.startS > startS);
    this.#pieces.splice(after === -1 ? this.#pieces.length : after, 0, ...pieces);
  }
}

function piecesOf(
  window: Window,
  records: number,
  observedAts: readonly UpstreamInstant[] | undefined,
): readonly Piece[] {
  const lengthS = windowLengthMs(window) / SECOND_MS;
  const count = Math.max(1, Math.floor(lengthS / PIECE_S));
  const pieces = Array.from({ length: count }, (_, index) => ({
    startS: epochMs(window.start) / SECOND_MS + (index * lengthS) / count,
    lengthS: lengthS / count,
    records: observedAts ? 0 : records / count,
  }));
  for (const at of observedAts ?? []) {
    const index = Math.floor(((epochMs(at) - epochMs(window.start)) * count) / (lengthS * SECOND_MS));
    const piece = pieces[Math.min(count - 1, Math.max(0, index))];
    if (piece) piece.records++;
  }
  return pieces;
}

function evenly({ start, end }: Window): readonly UpstreamInstant[] {
  const stepMs = msBetween(start, end) / LIMIT_MAX;
  return Array.from({ length: LIMIT_MAX }, (_, index) => addMs(start, (index + 0.5) * stepMs));
}

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** The mean without the ends of the sorted values. It needs at least one value. */
function trimmedMean(values: readonly Weighted[]): number {
  const total = values.reduce((sum, { weight }) => sum + weight, 0);
  const [low, high] = [TRIM * total, (1 - TRIM) * total];
  let [passed, mean] = [0, 0];
  for (const { value, weight } of values.toSorted((a, b) => a.value - b.value)) {
    mean += value * Math.max(0, Math.min(high, passed + weight) - Math.max(low, passed));
    passed += weight;
  }
  return mean / (high - low);
}
