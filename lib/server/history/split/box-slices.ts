import 'server-only';
import { HISTORY_MAX_WINDOW_MS, LIMIT_MAX } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import type { Part } from '../parts/history-part.ts';
import { cutBefore, isSmallestWindow } from './clock-cut.ts';
import { Density } from './density.ts';
import { gapsOf } from './gaps.ts';
import { HiddenLoad } from './hidden-load.ts';
import { distanceMs, outwards, type SidedGap } from './outwards.ts';
import { PageFill } from './page-fill.ts';
import type { PartAnswer } from './part.ts';
import { type PartPlace, partsNeeded, placePart } from './place-part.ts';
import { quarterBbox } from './quarter-bbox.ts';
import { recordsIn } from './stretch.ts';
import { type Span, TimeSlices } from './time-slices.ts';

/** Where a page covers less time than this, whole seconds are too coarse to fill one, and smaller areas fill it better. */
const SHORTEST_PAGE_MS = 4000;
/** Quarters end in four partly filled parts instead of one: this many pages make up for that. */
const PAGES_WORTH_QUARTERS = 20;
/** A truncated answer counts for the page fill as if the window contained this many records. */
const OVERFULL_RECORDS = 1.12 * LIMIT_MAX;

export interface RequestedPart extends Part {
  readonly status: 'loading' | 'complete' | 'incomplete' | 'failed';
  readonly records: number;
}

/** In this window the box is requested in quarters. */
interface Quartered {
  readonly quarters: readonly BoxSlices[];
}

/** State of one time slice. `split`: it was part of a truncated answer. */
export type SliceState = 'waiting' | 'split' | RequestedPart | Quartered;

/** One box over a window, requested in time slices one after another, each as long as its neighbours suggest. */
export class BoxSlices {
  readonly bbox: Bbox;
  readonly #timeline: TimeSlices<SliceState>;
  readonly #density: Density;
  readonly #fill = new PageFill();
  readonly #hidden = new HiddenLoad();
  /** Records expected in each part being loaded. */
  readonly #loading = new Map<Part, number>();
  /** For each half, the window that could not be read as a whole: later parts are shorter once the half succeeds. */
  readonly #wholeOf = new Map<Part, Window>();

  /** @param prior records per millisecond at a time */
  constructor(bbox: Bbox, window: Window, prior: (atMs: number) => number) {
    this.bbox = bbox;
    this.#density = new Density(prior);
    this.#timeline = new TimeSlices<SliceState>(window, 'waiting');
  }

  get spans(): readonly Span<SliceState>[] {
    return this.#timeline.spans;
  }

  /** How far the nearest time is that may be requested, in milliseconds; `undefined` where none may. */
  openDistanceMs(from: UpstreamInstant): number | undefined {
    const distances = this.spans.filter(({ value }) => isOpen(value)).map(({ window }) => distanceMs(window, from));
    return distances.length === 0 ? undefined : Math.min(...distances);
  }

  /** The next part at that place of a gap, outwards from an instant; it counts as loading from now on. */
  take(place: PartPlace, from: UpstreamInstant): Part | undefined {
    // Until something is measured, all parts would share the same error.
    if (!this.#density.isMeasured && this.#loading.size > 0) return undefined;
    for (const gap of this.#gaps(from)) {
      const placed = placePart(this.#density, gap, place, this.#fill.target, this.#maxPartMs);
      if (!placed) continue;
      const part: Part = { bbox: this.bbox, window: placed.window };
      this.#set(part, 'loading', 0);
      this.#loading.set(part, placed.expected);
      return part;
    }
    return undefined;
  }

  /** @returns the slices of the quarters that this answer led to */
  answered(part: Part, { records, truncated, observedAts }: PartAnswer): readonly BoxSlices[] {
    const { window } = part;
    const expected = this.#loading.get(part) ?? 0;
    this.#loading.delete(part);
    const refused = this.#wholeOf.get(part);
    if (refused) this.#hidden.learnOverfull(refused);
    this.#fill.learn(expected, truncated ? Math.max(expected, OVERFULL_RECORDS) : records);
    if (!truncated) {
      this.#density.learnWhole(window, records, observedAts);
      this.#hidden.learnWhole(window);
      this.#set(part, 'complete', records);
      return this.#quarterWhereDense();
    }
    if (records < LIMIT_MAX) this.#hidden.learnOverfull(window);
    if (!isSmallestWindow(window)) {
      this.#density.learnOverfull(window, observedAts ?? []);
      this.#timeline.set(window, 'split');
      return [];
    }
    this.#density.learnTooDense(window);
    const quarters = this.#quarter(window);
    if (quarters.length === 0) this.#set(part, 'incomplete', records);
    return [...quarters, ...this.#quarterWhereDense()];
  }

  /** Replaces a loading part by the two halves of its window; none where it can't be cut. */
  halve(part: Part): readonly Part[] {
    const { bbox, window } = part;
    if (isSmallestWindow(window)) return [];
    const middle = cutBefore(window.start, (epochMs(window.start) + epochMs(window.end)) / 2);
    const expected = (this.#loading.get(part) ?? 0) / 2;
    this.#loading.delete(part);
    const windows: readonly Window[] = [
      { ...window, end: middle },
      { ...window, start: middle },
    ];
    return windows.map((window) => {
      const half: Part = { bbox, window };
      this.#set(half, 'loading', 0);
      this.#loading.set(half, expected);
      this.#wholeOf.set(half, part.window);
      return half;
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

  /** Adds a window that is completely cached. It may extend beyond this window; the density there is learnt too. */
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

  /** Parts still to be requested, as far as is known now. */
  partsExpected(from: UpstreamInstant): number {
    return this.#gaps(from).reduce((sum, { window }) => sum + partsNeeded(this.#density, window, this.#maxPartMs), 0);
  }

  get #maxPartMs(): number {
    return Math.min(HISTORY_MAX_WINDOW_MS, this.#hidden.maxPartMs);
  }

  #quarterWhereDense(): readonly BoxSlices[] {
    return this.#openGaps().flatMap(({ window }) => {
      const pages = recordsIn(this.#density.expected(window)) / LIMIT_MAX;
      const isDense = pages >= PAGES_WORTH_QUARTERS && windowLengthMs(window) / pages < SHORTEST_PAGE_MS;
      return isDense ? this.#quarter(window) : [];
    });
  }

  #quarter(window: Window): readonly BoxSlices[] {
    const boxes = quarterBbox(this.bbox);
    if (boxes.length === 0) return [];
    const prior = (atMs: number) => this.#density.rateAt(atMs) / boxes.length;
    const quarters = boxes.map((bbox) => new BoxSlices(bbox, window, prior));
    this.#timeline.set(window, { quarters });
    return quarters;
  }

  #set(part: Part, status: RequestedPart['status'], records: number): void {
    this.#timeline.set(part.window, { ...part, status, records });
  }

  #openGaps() {
    return gapsOf(this.spans, isOpen, (value) => isRequested(value, 'loading'));
  }

  /** Outwards from an instant; a gap that takes one part is not cut. */
  #gaps(from: UpstreamInstant): readonly SidedGap[] {
    const gaps = this.#openGaps();
    const around = gaps.find(({ window }) => window.start < from && window.end > from);
    const isOnePart = around && partsNeeded(this.#density, around.window, this.#maxPartMs) === 1;
    return outwards(gaps, isOnePart ? around.window.start : from);
  }
}

function isOpen(value: SliceState): boolean {
  return value === 'waiting' || value === 'split';
}

function isRequested(value: SliceState, status: RequestedPart['status']): boolean {
  return typeof value === 'object' && 'status' in value && value.status === status;
}
