import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { cutBefore, isSmallestWindow } from './clock-cut.ts';
import { Density } from './density.ts';
import { type Gap, gapsOf } from './gaps.ts';
import { HiddenLoad } from './hidden-load.ts';
import { PageFill } from './page-fill.ts';
import type { Part, PartAnswer } from './part.ts';
import { type PartPosition, partsNeeded, placePart } from './place-part.ts';
import { quarterBbox } from './quarter-bbox.ts';
import { recordsIn } from './stretch.ts';
import { type Span, TimeSlices } from './time-slices.ts';

/** Where a page lasts less than this, whole seconds are too coarse to fill one, and smaller areas fill it better. */
const SHORTEST_PAGE_MS = 4000;
/** Quarters end in four parts that are not full instead of one: so many pages pay for that. */
const PAGES_WORTH_QUARTERS = 20;
/** A truncated answer counts for the fill of pages as if the window had held so much. */
const OVERFULL_RECORDS = 1.12 * LIMIT_MAX;

export interface Asked extends Part {
  readonly status: 'loading' | 'complete' | 'incomplete' | 'failed';
  readonly records: number;
}

/** For this window the box is asked in quarters. */
interface Quartered {
  readonly quarters: readonly Column[];
}

/** `split`: was part of a truncated answer. */
export type Cell = 'waiting' | 'split' | Asked | Quartered;

/** One box over a window, asked in parts of time one after the other, so that each is as long as its neighbours let expect. */
export class Column {
  readonly bbox: Bbox;
  readonly #timeline: TimeSlices<Cell>;
  readonly #density: Density;
  readonly #fill = new PageFill();
  readonly #hidden = new HiddenLoad();
  /** Records expected in each part that is loading. */
  readonly #loading = new Map<Part, number>();
  /** By a half: the window that could not be had in one, so that later ones are shorter once the half can. */
  readonly #wholeOf = new Map<Part, Window>();

  /** @param prior records a millisecond at an instant */
  constructor(bbox: Bbox, window: Window, prior: (atMs: number) => number) {
    this.bbox = bbox;
    this.#density = new Density(prior);
    this.#timeline = new TimeSlices<Cell>(window, 'waiting');
  }

  get spans(): readonly Span<Cell>[] {
    return this.#timeline.spans;
  }

  /** The earliest instant that may be asked; `undefined` where none may. */
  get openFrom(): UpstreamInstant | undefined {
    return this.spans.find(({ value }) => isOpen(value))?.window.start;
  }

  /** The next part at such a place, from then on loading. */
  take(place: PartPosition): Part | undefined {
    // Until something is measured all parts would share one error.
    if (!this.#density.isMeasured && this.#loading.size > 0) return undefined;
    for (const gap of this.#gaps()) {
      const placed = placePart(this.#density, gap, place, this.#fill.target, this.#hidden.longestMs);
      if (!placed) continue;
      const part: Part = { bbox: this.bbox, window: placed.window };
      this.#set(part, 'loading', 0);
      this.#loading.set(part, placed.expected);
      return part;
    }
    return undefined;
  }

  /** @returns the columns that it was quartered into by this answer */
  answered(part: Part, { records, truncated, observedAts }: PartAnswer): readonly Column[] {
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

  /** The part's window in two, loading in its place; none where it can't be cut. */
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
      if (isAsked(value, 'failed')) this.#timeline.set(window, 'waiting');
    }
  }

  /** A window that is known whole without being asked. It may reach out of the column's, and then tells of the density there. */
  hold(window: Window, records: number, observedAts: readonly UpstreamInstant[] | undefined): void {
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

  /** Parts still to be asked, by what is known now. */
  partsExpected(): number {
    return this.#gaps().reduce(
      (sum, { window }) => sum + partsNeeded(this.#density, window, this.#hidden.longestMs),
      0,
    );
  }

  #quarterWhereDense(): readonly Column[] {
    return this.#gaps().flatMap(({ window }) => {
      const pages = recordsIn(this.#density.expected(window)) / LIMIT_MAX;
      const isDense = pages >= PAGES_WORTH_QUARTERS && windowLengthMs(window) / pages < SHORTEST_PAGE_MS;
      return isDense ? this.#quarter(window) : [];
    });
  }

  #quarter(window: Window): readonly Column[] {
    const boxes = quarterBbox(this.bbox);
    if (boxes.length === 0) return [];
    const prior = (atMs: number) => this.#density.rateAt(atMs) / boxes.length;
    const quarters = boxes.map((bbox) => new Column(bbox, window, prior));
    this.#timeline.set(window, { quarters });
    return quarters;
  }

  #set(part: Part, status: Asked['status'], records: number): void {
    this.#timeline.set(part.window, { ...part, status, records });
  }

  #gaps(): readonly Gap[] {
    return gapsOf(this.spans, isOpen, (value) => isAsked(value, 'loading'));
  }
}

function isOpen(value: Cell): boolean {
  return value === 'waiting' || value === 'split';
}

function isAsked(value: Cell, status: Asked['status']): boolean {
  return typeof value === 'object' && 'status' in value && value.status === status;
}
