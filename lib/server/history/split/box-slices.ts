import 'server-only';
import { HISTORY_MAX_WINDOW_MS, LIMIT_MAX } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import type { Part } from '../parts/history-part.ts';
import { Density } from './density.ts';
import { HiddenLoad } from './hidden-load.ts';
import { distanceMs } from './outwards.ts';
import type { PartAnswer } from './part.ts';
import { type Gap, pagesExpected, partsNeeded, placePart } from './place-part.ts';
import { quarterBbox } from './quarter-bbox.ts';
import { type Span, TimeSlices } from './time-slices.ts';
import { halvesOf, isSmallestWindow } from './whole-seconds.ts';

/** Below this, whole seconds are too coarse, and smaller areas fill a page better. */
const SHORTEST_PAGE_MS = 4000;
/** Quarters end in four partly filled parts instead of one. */
const PAGES_WORTH_QUARTERS = 20;
/** Parts in a gap before a second one is requested at once: each run ends in a partly filled part. */
const PARTS_WORTH_HALVES = 24;

export interface RequestedPart extends Part {
  readonly status: 'loading' | 'complete' | 'incomplete' | 'failed';
  readonly records: number;
}

/** The box is requested in quarters. */
interface Quartered {
  readonly quarters: readonly BoxSlices[];
}

export type SliceState = 'waiting' | RequestedPart | Quartered;

/** At the end nearer to the start of the load, or in the middle while that end is loading. */
export type PartPlace = 'near' | 'middle';

interface OpenGap extends Gap {
  /** A loading part's rest will join the gap. */
  readonly isBusy: boolean;
}

/** Each slice is as long as its neighbours suggest. */
export class BoxSlices {
  readonly bbox: Bbox;
  readonly #timeline: TimeSlices<SliceState>;
  readonly #density: Density;
  readonly #hidden = new HiddenLoad();
  readonly #loading = new Set<Part>();
  /** Once a half succeeds, later parts are shorter than the whole. */
  readonly #wholeOf = new Map<Part, Window>();

  /** @param prior records per second in a second */
  constructor(bbox: Bbox, window: Window, prior: (second: number) => number) {
    this.bbox = bbox;
    this.#density = new Density(prior);
    this.#timeline = new TimeSlices<SliceState>(window, 'waiting');
  }

  get spans(): readonly Span<SliceState>[] {
    return this.#timeline.spans;
  }

  /** In milliseconds; `undefined` where no time may be requested. */
  openDistanceMs(from: UpstreamInstant): number | undefined {
    const distances = this.spans.flatMap(({ value, window }) =>
      value === 'waiting' ? [distanceMs(window, from)] : [],
    );
    return distances.length === 0 ? undefined : Math.min(...distances);
  }

  /** The part counts as loading from now on. */
  take(place: PartPlace, from: UpstreamInstant): Part | undefined {
    // Until something is measured, all parts would share the same error.
    if (!this.#density.isMeasured && this.#loading.size > 0) return undefined;
    for (const gap of this.#gaps(from)) {
      if (gap.isBusy !== (place === 'middle')) continue;
      if (gap.isBusy && this.#partsNeeded(gap) < PARTS_WORTH_HALVES) continue;
      const open = gap.isBusy ? this.#farHalf(gap) : gap;
      const part: Part = { bbox: this.bbox, window: placePart(this.#density, open, this.#maxPartMs) };
      this.#set(part, 'loading', 0);
      this.#loading.add(part);
      return part;
    }
    return undefined;
  }

  /** @returns the slices of new quarters */
  answered(part: Part, { records, truncated, observedAts }: PartAnswer): readonly BoxSlices[] {
    const { window } = part;
    this.#loading.delete(part);
    const refused = this.#wholeOf.get(part);
    if (refused) this.#hidden.learnOverfull(refused);
    if (!truncated) {
      this.#density.learnWhole(window, records, observedAts);
      this.#hidden.learnWhole(window);
      this.#set(part, 'complete', records);
      return this.#quarterWhereDense();
    }
    if (records < LIMIT_MAX) this.#hidden.learnOverfull(window);
    if (!isSmallestWindow(window)) {
      this.#density.learnOverfull(window, observedAts ?? []);
      this.#timeline.set(window, 'waiting');
      return [];
    }
    this.#density.learnTooDense(window);
    const quarters = this.#quarter(window);
    if (quarters.length === 0) this.#set(part, 'incomplete', records);
    return [...quarters, ...this.#quarterWhereDense()];
  }

  /** None where the part can't be cut. */
  halve(part: Part): readonly Part[] {
    const { bbox, window } = part;
    if (isSmallestWindow(window)) return [];
    this.#loading.delete(part);
    return halvesOf(window).map((half) => {
      const read: Part = { bbox, window: half };
      this.#set(read, 'loading', 0);
      this.#loading.add(read);
      this.#wholeOf.set(read, window);
      return read;
    });
  }

  failed(part: Part): void {
    this.#loading.delete(part);
    this.#set(part, 'failed', 0);
  }

  retry(): void {
    for (const { window, value } of [...this.spans]) {
      if (isRequested(value, 'failed')) this.#timeline.set(window, 'waiting');
    }
  }

  /** May extend beyond this window. */
  addCached(window: Window, records: number, observedAts: readonly UpstreamInstant[] | undefined): void {
    this.#density.learnWhole(window, records, observedAts);
    const [first, last] = [this.spans[0], this.spans.at(-1)];
    if (!first || !last || window.end <= first.window.start || window.start >= last.window.end) return;
    const start = window.start > first.window.start ? window.start : first.window.start;
    const end = window.end < last.window.end ? window.end : last.window.end;
    const inside = observedAts
      ? observedAts.filter((at) => at >= start && at < end).length
      : Math.round((records * msBetween(start, end)) / windowLengthMs(window));
    this.#set({ bbox: this.bbox, window: { start, end } }, 'complete', inside);
  }

  partsExpected(from: UpstreamInstant): number {
    return this.#gaps(from).reduce((sum, gap) => sum + this.#partsNeeded(gap), 0);
  }

  get #maxPartMs(): number {
    return Math.min(HISTORY_MAX_WINDOW_MS, this.#hidden.maxPartMs);
  }

  #partsNeeded(gap: Gap): number {
    return partsNeeded(this.#density, gap, this.#maxPartMs);
  }

  #quarterWhereDense(): readonly BoxSlices[] {
    return this.#openWindows().flatMap((window) => {
      const pages = pagesExpected(this.#density, { window, end: 'start' });
      const isDense = pages >= PAGES_WORTH_QUARTERS && windowLengthMs(window) / pages < SHORTEST_PAGE_MS;
      return isDense ? this.#quarter(window) : [];
    });
  }

  #quarter(window: Window): readonly BoxSlices[] {
    const boxes = quarterBbox(this.bbox);
    if (boxes.length === 0) return [];
    const prior = (second: number) => this.#density.rateAt(second) / boxes.length;
    const quarters = boxes.map((bbox) => new BoxSlices(bbox, window, prior));
    this.#timeline.set(window, { quarters });
    return quarters;
  }

  #set(part: Part, status: RequestedPart['status'], records: number): void {
    this.#timeline.set(part.window, { ...part, status, records });
  }

  #openWindows(): readonly Window[] {
    return this.spans.flatMap(({ value, window }) => (value === 'waiting' ? [window] : []));
  }

  /** The nearest first. The one around the instant is cut there, unless it takes one part. */
  #gaps(from: UpstreamInstant): readonly OpenGap[] {
    const isLoading = (at: UpstreamInstant, edge: 'start' | 'end') =>
      this.spans.some(({ value, window }) => window[edge] === at && isRequested(value, 'loading'));
    return this.#openWindows()
      .flatMap((window): readonly (Gap & { readonly window: Window })[] => {
        if (window.end <= from) return [{ window, end: 'end' }];
        if (window.start >= from) return [{ window, end: 'start' }];
        const whole: Gap = { window, end: 'start' };
        if (this.#partsNeeded(whole) === 1) return [whole];
        return [
          { window: { ...window, start: from }, end: 'start' },
          { window: { ...window, end: from }, end: 'end' },
        ];
      })
      .map((gap) => ({
        ...gap,
        isBusy: gap.end === 'start' ? isLoading(gap.window.start, 'end') : isLoading(gap.window.end, 'start'),
      }))
      .sort((a, b) => distanceMs(a.window, from) - distanceMs(b.window, from));
  }

  #farHalf(gap: Gap): Gap {
    const [early, late] = halvesOf(gap.window);
    return { ...gap, window: gap.end === 'start' ? late : early };
  }
}

function isRequested(value: SliceState, status: RequestedPart['status']): boolean {
  return typeof value === 'object' && 'status' in value && value.status === status;
}
