import 'server-only';
import { type Bbox, bboxSizeDeg2 } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { PastPart } from '../parts/history-part.ts';
import { BoxSlices } from './box-slices.ts';
import type { PartState, ReadCount } from './part.ts';

/**
 * Records a second per square degree, from the busiest hours of the Swiss recording. A small box is then requested as a
 * whole, a big one in a first part of some minutes.
 */
const UNKNOWN_PER_SECOND_DEG2 = 0.4;

interface CachedWindow {
  readonly window: Window;
  readonly records: number;
  readonly observedAts?: readonly UpstreamInstant[];
}

export interface SplitterOptions {
  /** The box is within the contract's history limit, and does not cross 180°. */
  readonly bbox: Bbox;
  readonly window: Window;
  /** The rate of live traffic, or of a neighbouring window. */
  readonly expectedPerSecond?: number;
  readonly maxRequests: number;
  /** A whole second. Default: the start of the window. */
  readonly from?: UpstreamInstant | undefined;
  /** Complete windows that do not overlap. They may extend beyond the window. */
  readonly cached?: readonly CachedWindow[];
}

export interface SplitState {
  /** The parts together are the box over the window. Boxes share edges, windows are half-open. */
  readonly parts: readonly PartState[];
  /** The number of requests, without those answered from a cache. */
  readonly requests: number;
  /** How many requests are still to come. */
  readonly requestsExpected: number;
}

/**
 * Places parts next to known ones, each as long as the density there suggests for a nearly full page. Where a page
 * covers only seconds, the box is quartered.
 *
 * It is deterministic. A record on the edge of two boxes comes with both: callers drop duplicates by track reference
 * and observed_at.
 */
export class Splitter {
  readonly #root: BoxSlices;
  readonly #maxRequests: number;
  readonly #slicesOf = new Map<PastPart, BoxSlices>();
  readonly #allSlices: BoxSlices[];
  #requests = 0;
  #from: UpstreamInstant;

  constructor({ bbox, window, expectedPerSecond, maxRequests, from = window.start, cached = [] }: SplitterOptions) {
    this.#from = from;
    const perSecond = expectedPerSecond ?? UNKNOWN_PER_SECOND_DEG2 * bboxSizeDeg2(bbox);
    this.#root = new BoxSlices(bbox, window, () => perSecond);
    for (const { window: whole, records, observedAts } of cached) this.#root.addCached(whole, records, observedAts);
    this.#allSlices = [this.#root];
    this.#maxRequests = maxRequests;
  }

  /**
   * The next parts to request, which count as loading from now on: fewer than `max`, or none, where it is better to
   * wait for an answer.
   */
  next(max: number): readonly PastPart[] {
    const parts: PastPart[] = [];
    for (const place of ['near', 'middle'] as const) {
      for (const slices of this.#openSlices()) {
        for (;;) {
          if (parts.length >= max || this.#requests >= this.#maxRequests) return parts;
          const part = slices.take(place, this.#from);
          if (!part) break;
          this.#requests += 1;
          this.#slicesOf.set(part, slices);
          parts.push(part);
        }
      }
    }
    return parts;
  }

  startFrom(from: UpstreamInstant): void {
    this.#from = from;
  }

  /** Milliseconds from the cursor to the nearest open time; `undefined` where none is left. */
  get openDistanceMs(): number | undefined {
    const distances = this.#allSlices.flatMap((slices) => slices.openDistanceMs(this.#from) ?? []);
    return distances.length === 0 ? undefined : Math.min(...distances);
  }

  /** @throws Error for a part that is not loading */
  answered(part: PastPart, answer: ReadCount): void {
    if (answer.cached) this.#requests -= 1;
    this.#allSlices.push(...this.#settle(part).answered(part, answer));
  }

  /** @returns none where it can't be cut or too few requests are left @throws Error for a part that is not loading */
  halve(part: PastPart): readonly PastPart[] {
    const slices = this.#loading(part);
    if (this.#requests + 2 > this.#maxRequests) return [];
    const halves = slices.halve(part);
    if (halves.length > 0) this.#settle(part);
    for (const half of halves) this.#slicesOf.set(half, slices);
    this.#requests += halves.length;
    return halves;
  }

  /** Excludes the part until `retry`. @throws Error for a part that is not loading */
  failed(part: PastPart): void {
    this.#settle(part).failed(part);
  }

  retry(): void {
    for (const slices of this.#allSlices) slices.retry();
  }

  state(): SplitState {
    const requestsLeft = this.#maxRequests - this.#requests;
    const expected = this.#allSlices.reduce((sum, slices) => sum + slices.partsExpected(this.#from), 0);
    const parts = [...partsOf(this.#root)];
    return {
      parts:
        requestsLeft > 0
          ? parts
          : parts.map((part) => (part.status === 'waiting' ? { ...part, status: 'not-requested' } : part)),
      requests: this.#requests,
      requestsExpected: Math.max(0, Math.min(requestsLeft, expected)),
    };
  }

  #settle(part: PastPart): BoxSlices {
    const slices = this.#loading(part);
    this.#slicesOf.delete(part);
    return slices;
  }

  #loading(part: PastPart): BoxSlices {
    const slices = this.#slicesOf.get(part);
    if (!slices) throw new Error('the part is not loading');
    return slices;
  }

  #openSlices(): readonly BoxSlices[] {
    return this.#allSlices
      .flatMap((slices) => {
        const distanceMs = slices.openDistanceMs(this.#from);
        return distanceMs === undefined ? [] : [{ slices, distanceMs }];
      })
      .sort((a, b) => a.distanceMs - b.distanceMs)
      .map(({ slices }) => slices);
  }
}

function* partsOf(slices: BoxSlices): Generator<PartState> {
  const { bbox } = slices;
  for (const { window, value } of slices.spans) {
    if (typeof value === 'string') yield { bbox, window, status: value, records: 0 };
    else if ('quarters' in value) for (const quarter of value.quarters) yield* partsOf(quarter);
    else yield value;
  }
}
