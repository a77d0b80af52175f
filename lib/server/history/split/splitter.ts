import 'server-only';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { Column } from './column.ts';
import type { Part, PartAnswer, PartState } from './part.ts';
import { PART_POSITIONS } from './place-part.ts';

/**
 * What a box is taken for of which nothing is known: records a second and square degree, as of the Swiss recording in its
 * busiest hours. A small box is then asked whole, a big one by a first part of some minutes.
 */
const UNKNOWN_PER_SECOND_DEG2 = 0.4;

interface CachedWindow {
  readonly window: Window;
  readonly records: number;
  readonly observedAts?: readonly UpstreamInstant[];
}

export interface SplitterOptions {
  /** At most the contract's side of a history box, and not across 180°. */
  readonly bbox: Bbox;
  /** At most the contract's longest history window. */
  readonly window: Window;
  /** Of the asked layer in the box, as far as the live picture or a neighbouring window tells. */
  readonly expectedPerSecond?: number;
  /** Parts that may be asked at the most; what is left then is not asked. */
  readonly maxRequests: number;
  /** Windows of this very box that the caller has whole, not overlapping: they are not asked. They may reach out of the window. */
  readonly held?: readonly CachedWindow[];
}

export interface SplitState {
  /** Disjoint; their union is exactly the box over the window. Boxes share edges, windows are half-open. */
  readonly parts: readonly PartState[];
  /** Parts given out, without those that were answered from a cache. */
  readonly requests: number;
  /** An estimate of the parts that are still to be given out. */
  readonly requestsExpected: number;
}

/**
 * Splits a box and window into parts that each fit a page, as few as it can: parts are placed one after the other beside what
 * is known, each as long as the density there lets expect a nearly full page. A part that turns out to hold more gives its
 * window back. Where a page lasts only seconds, and where one second is still too much, the box is quartered.
 *
 * The same calls in the same order give the same parts. A record on the edge of two boxes comes with both: the caller drops
 * duplicates by track reference and observed_at.
 */
export class Splitter {
  readonly #root: Column;
  readonly #maxRequests: number;
  readonly #columnOf = new Map<Part, Column>();
  readonly #columns: Column[];
  #requests = 0;

  constructor({ bbox, window, expectedPerSecond, maxRequests, held = [] }: SplitterOptions) {
    const perSecond = expectedPerSecond ?? UNKNOWN_PER_SECOND_DEG2 * lonSpanDeg(bbox) * latSpanDeg(bbox);
    this.#root = new Column(bbox, window, () => perSecond / 1000);
    for (const { window: whole, records, observedAts } of held) this.#root.hold(whole, records, observedAts);
    this.#columns = [this.#root];
    this.#maxRequests = maxRequests;
  }

  /**
   * Parts to ask now, at most so many; from now on they are loading. Earlier windows come first. Fewer, or none, where waiting
   * for an answer tells better how to go on: then it is to be asked again after the next answer.
   */
  next(most: number): readonly Part[] {
    const parts: Part[] = [];
    for (const place of PART_POSITIONS) {
      for (const column of this.#openColumns()) {
        for (;;) {
          if (parts.length >= most || this.#requests >= this.#maxRequests) return parts;
          const part = column.take(place);
          if (!part) break;
          this.#requests += 1;
          this.#columnOf.set(part, column);
          parts.push(part);
        }
      }
    }
    return parts;
  }

  /** @throws Error for a part that is not loading */
  answered(part: Part, answer: PartAnswer): void {
    if (answer.cached) this.#requests -= 1;
    this.#columns.push(...this.#settle(part).answered(part, answer));
  }

  /**
   * It could not be had as it is: its window in two halves, given out in its place.
   * @returns none where it can't be cut or they are more than may be asked: then it goes on loading
   * @throws Error for a part that is not loading
   */
  halve(part: Part): readonly Part[] {
    const column = this.#loading(part);
    if (this.#requests + 2 > this.#maxRequests) return [];
    const halves = column.halve(part);
    if (halves.length > 0) this.#settle(part);
    for (const half of halves) this.#columnOf.set(half, column);
    this.#requests += halves.length;
    return halves;
  }

  /** It may be given out again after `retry`. @throws Error for a part that is not loading */
  failed(part: Part): void {
    this.#settle(part).failed(part);
  }

  /** All failed parts wait again. */
  retry(): void {
    for (const column of this.#columns) column.retry();
  }

  state(): SplitState {
    const requestsLeft = this.#maxRequests - this.#requests;
    const expected = this.#columns.reduce((sum, column) => sum + column.partsExpected(), 0);
    const parts = [...partsOf(this.#root)];
    return {
      parts: requestsLeft > 0 ? parts : parts.map((part) => (isOpen(part) ? { ...part, status: 'not-asked' } : part)),
      requests: this.#requests,
      requestsExpected: Math.max(0, Math.min(requestsLeft, expected)),
    };
  }

  #settle(part: Part): Column {
    const column = this.#loading(part);
    this.#columnOf.delete(part);
    return column;
  }

  #loading(part: Part): Column {
    const column = this.#columnOf.get(part);
    if (!column) throw new Error('the part is not loading');
    return column;
  }

  #openColumns(): readonly Column[] {
    return this.#columns
      .flatMap((column) => {
        const from = column.openFrom;
        return from === undefined ? [] : [{ column, from }];
      })
      .sort((a, b) => compareInstants(a.from, b.from))
      .map(({ column }) => column);
  }
}

function isOpen({ status }: PartState): boolean {
  return status === 'waiting' || status === 'split';
}

function* partsOf(column: Column): Generator<PartState> {
  const { bbox } = column;
  for (const { window, value } of column.spans) {
    if (typeof value === 'string') yield { bbox, window, status: value, records: 0 };
    else if ('quarters' in value) for (const quarter of value.quarters) yield* partsOf(quarter);
    else yield value;
  }
}
