import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { OverfullWindow } from './overfull-window.ts';
import type { Stretch } from './stretch.ts';

/**
 * A complete part is remembered in pieces: short ones, so that a burst affects a few of many, and none under 10 s, because
 * sources round timestamps to steps of up to that.
 */
const PIECE_MS = 10_000;
/** Number of pieces on either side used for the rate at a time; weights fall to a quarter at `NEAR_MS`. */
const NEAREST_PIECES = 60;
const NEAR_MS = 180_000;
/** Share of the weight trimmed at either end: a burst, or a pause, does not predict what follows. */
const TRIM = 0.35;
/** The rate beside known windows returns to the mean in about this time. */
const MEMORY_MS = 1_000_000;
/** The prior weighs as much as this time, and at most as this many records, so that measurements soon outweigh it. */
const PRIOR_MS = 900_000;
const PRIOR_RECORDS = 3 * LIMIT_MAX;
const STRETCHES_OF_GAP = 24;

/** Estimate of how far an overfull window exceeds a page: with a measured density beside it, and without. */
const EXCESS_MEASURED = 0.12;
const FACTOR_UNMEASURED = 1.5;
const FACTOR_MAX = 8;
const LEARNING = 0.3;
/** For a smallest window only that it exceeds a page is known. */
const TOO_DENSE_RECORDS = 1.5 * LIMIT_MAX;

/** How many records of one box to expect when: from complete parts, from truncated answers, and from a prior. */
export class Density {
  readonly #prior: (atMs: number) => number;
  /** Ordered by time. */
  readonly #pieces: Stretch[] = [];
  /** Newest first. */
  readonly #overfull: OverfullWindow[] = [];
  #excess = EXCESS_MEASURED;
  #trustsCut = true;

  /** @param prior records per millisecond at a time, until something is measured */
  constructor(prior: (atMs: number) => number) {
    this.#prior = prior;
  }

  get isMeasured(): boolean {
    return this.#pieces.length > 0;
  }

  /** @param observedAts if missing, the records count as evenly spread */
  learnWhole(window: Window, records: number, observedAts: readonly UpstreamInstant[] | undefined): void {
    for (const overfull of this.#overfull) {
      const factor = overfull.measured(window, records);
      if (factor !== undefined) this.#excess += LEARNING * (Math.min(1, factor - 1) - this.#excess);
    }
    const partMs = windowLengthMs(window);
    const stepMs = partMs < 2 * PIECE_MS ? partMs : PIECE_MS;
    const counts = new Array<number>(Math.ceil(partMs / stepMs)).fill(0);
    for (const at of observedAts ?? []) {
      const index = Math.min(counts.length - 1, Math.max(0, Math.floor(msBetween(window.start, at) / stepMs)));
      counts[index] = (counts[index] ?? 0) + 1;
    }
    const pieces = counts.map((count, index): Stretch => {
      const startMs = epochMs(window.start) + index * stepMs;
      const endMs = Math.min(epochMs(window.end), startMs + stepMs);
      return { startMs, endMs, records: observedAts ? count : (records * (endMs - startMs)) / partMs };
    });
    this.#add(pieces);
  }

  learnOverfull(window: Window, observedAts: readonly UpstreamInstant[]): void {
    const around = this.#overfull.filter(
      (known) => known.window.start <= window.start && known.window.end >= window.end,
    );
    if (around.some((known) => known.promised(window))) this.#trustsCut = false;
    // Each estimate that was too low makes the next one larger.
    const factor = this.isMeasured
      ? 1 + this.#excess * 2 ** around.length
      : FACTOR_UNMEASURED * 2 ** (around.length / 2);
    const excess = Math.min(FACTOR_MAX, factor);
    const rateAt = (atMs: number) => (this.isMeasured ? this.rateAt(atMs) : this.#prior(atMs));
    this.#overfull.unshift(new OverfullWindow(window, observedAts, { excess, trustsCut: this.#trustsCut, rateAt }));
  }

  /** A window that can't be cut was overfull: a lower bound for its neighbourhood. */
  learnTooDense({ start, end }: Window): void {
    this.#add([{ startMs: epochMs(start), endMs: epochMs(end), records: TOO_DENSE_RECORDS }]);
  }

  /** The shortest window inside this one that is known to exceed a page. */
  overfullWithin({ start, end }: Window): Window | undefined {
    return this.#overfull
      .map(({ window }) => window)
      .filter((window) => window.start >= start && window.end <= end)
      .sort((a, b) => windowLengthMs(a) - windowLengthMs(b))[0];
  }

  /** Records per millisecond beside known windows. */
  rateAt(atMs: number): number {
    if (!this.isMeasured) {
      const seen = this.#overfull.map(
        (known) =>
          known.expected(epochMs(known.window.start), epochMs(known.window.end)) / windowLengthMs(known.window),
      );
      return Math.max(this.#prior(atMs), ...seen);
    }
    const after = this.#pieces.findIndex(({ startMs }) => startMs >= atMs);
    const middle = after === -1 ? this.#pieces.length : after;
    const near = this.#pieces.slice(Math.max(0, middle - NEAREST_PIECES), middle + NEAREST_PIECES);
    return trimmedMean(
      near.map(({ startMs, endMs, records }) => {
        const distanceMs = Math.max(0, startMs - atMs, atMs - endMs);
        const lengthMs = endMs - startMs;
        return { value: records / lengthMs, weight: lengthMs / (1 + distanceMs / NEAR_MS) ** 2 };
      }),
      TRIM,
    );
  }

  /** What to expect in a window of which no part is completely known. */
  expected({ start, end }: Window): readonly Stretch[] {
    const overfull = this.#overfull.filter(({ window }) => window.start < end && window.end > start);
    const [fromMs, toMs] = [epochMs(start), epochMs(end)];
    const even = Array.from(
      { length: STRETCHES_OF_GAP },
      (_, index) => fromMs + ((toMs - fromMs) * index) / STRETCHES_OF_GAP,
    );
    const inside = overfull.flatMap((known) => known.edgesMs).filter((edgeMs) => edgeMs > fromMs && edgeMs < toMs);
    const edges = [...new Set([...even, ...inside, toMs])].sort((a, b) => a - b);
    const rateAt = this.#rateWithin(fromMs, toMs);
    return edges.slice(1).map((endMs, index) => {
      const startMs = edges[index] as number;
      const middleMs = (startMs + endMs) / 2;
      const known = overfull.find(({ window }) => epochMs(window.start) <= middleMs && middleMs < epochMs(window.end));
      const records = Math.max(rateAt(middleMs) * (endMs - startMs), known?.expected(startMs, endMs) ?? 0);
      return { startMs, endMs, records };
    });
  }

  /** Within a gap the rate goes from that at its ends towards the mean, with the distance from known windows. */
  #rateWithin(start: number, end: number): (atMs: number) => number {
    const [atStart, atEnd, mean] = [this.rateAt(start), this.rateAt(end), this.#meanRate()];
    const first = this.#pieces[0];
    const isKnownBefore = first !== undefined && first.startMs < start;
    const last = this.#pieces.at(-1);
    const isKnownAfter = last !== undefined && last.endMs > end;
    return (atMs) => {
      const beside = atStart + ((atEnd - atStart) * (atMs - start)) / (end - start);
      const awayMs = Math.min(
        isKnownBefore ? atMs - start : Number.POSITIVE_INFINITY,
        isKnownAfter ? end - atMs : Number.POSITIVE_INFINITY,
      );
      return mean + (beside - mean) * Math.exp(-awayMs / MEMORY_MS);
    };
  }

  #meanRate(): number {
    const [first, last] = [this.#pieces[0], this.#pieces.at(-1)];
    if (!first || !last) return this.rateAt(0);
    const records = this.#pieces.reduce((sum, piece) => sum + piece.records, 0);
    const lengthMs = this.#pieces.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
    const prior = this.#prior((first.startMs + last.endMs) / 2);
    const priorMs = Math.min(PRIOR_MS, PRIOR_RECORDS / Math.max(prior, records / lengthMs));
    return (records + prior * priorMs) / (lengthMs + priorMs);
  }

  #add(pieces: readonly Stretch[]): void {
    const startMs = pieces[0]?.startMs ?? 0;
    const after = this.#pieces.findIndex((piece) => piece.startMs > startMs);
    this.#pieces.splice(after === -1 ? this.#pieces.length : after, 0, ...pieces);
  }
}

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** The mean without a share of the weight at either end of the sorted values; needs at least one value. */
function trimmedMean(values: readonly Weighted[], trim: number): number {
  const total = values.reduce((sum, { weight }) => sum + weight, 0);
  const [low, high] = [trim * total, (1 - trim) * total];
  let [passed, mean] = [0, 0];
  for (const { value, weight } of values.toSorted((a, b) => a.value - b.value)) {
    mean += value * Math.max(0, Math.min(high, passed + weight) - Math.max(low, passed));
    passed += weight;
  }
  return mean / (high - low);
}
