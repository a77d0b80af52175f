import 'server-only';
import { HISTORY_MAX_WINDOW_MS, LIMIT_MAX } from '#lib/contract/limits.ts';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import type { PastPart } from '../parts/history-part.ts';
import { Density, type UnreadSpan } from './density.ts';
import { distanceMs, type ReadCount } from './part.ts';
import { halvesOf, isSmallestWindow } from './whole-seconds.ts';

/** Below this, whole seconds are too coarse, and smaller areas fill a page better. */
const SHORTEST_PAGE_MS = 4000;
/** From so many pages on, quarters pay: they end in four partly filled parts instead of one. */
const PAGES_WORTH_QUARTERS = 20;
/** Parts in a gap before a second one is requested at once: each run ends in a partly filled part. */
const PARTS_WORTH_HALVES = 24;
/** Below this ratio of the shortest overfull to the longest complete window, searching gains little. */
const CLOSE = 1.3;
/** A length that was overfull once may be complete at another time. */
const FORGIVEN = 1.2;
/** The smallest side of a quarter, about 1.7 km. */
export const SMALLEST_SIDE_DEG = 1 / 64;
/** Multiples are exact in binary and in the seven decimals of a formatted box. */
const FINEST_LINE_DEG = 1 / 128;

export interface RequestedPart extends PastPart {
  readonly status: 'loading' | 'complete' | 'incomplete' | 'failed';
  readonly records: number;
}

/** A time in which the box is requested in quarters. */
interface Quartered {
  readonly quarters: readonly BoxSlices[];
}

export type SliceState = 'waiting' | RequestedPart | Quartered;

/** Where in a gap the next part lies: at the end nearer to the start of the load, or in the middle while that end is loading. */
export type PartPlace = 'near' | 'middle';

interface OpenGap extends UnreadSpan {
  /** Whether the rest of a loading part will join the gap. */
  readonly isBusy: boolean;
}

/** One box of a load over its window: which times were requested, and which comes next. Each part is as long as its neighbours suggest. */
export class BoxSlices {
  readonly bbox: Bbox;
  readonly #timeline: TimeSlices<SliceState>;
  readonly #density: Density;
  readonly #hidden = new HiddenLoad();
  readonly #loading = new Set<PastPart>();
  /** Once a half succeeds, later parts are shorter than the whole. */
  readonly #wholeOf = new Map<PastPart, Window>();

  /** @param prior records per second in a second */
  constructor(bbox: Bbox, window: Window, prior: (second: number) => number) {
    this.bbox = bbox;
    this.#density = new Density(prior);
    this.#timeline = new TimeSlices<SliceState>(window, 'waiting');
  }

  get spans(): readonly Span<SliceState>[] {
    return this.#timeline.spans;
  }

  /** Milliseconds to the nearest time that may be requested; `undefined` where there is none. */
  openDistanceMs(from: UpstreamInstant): number | undefined {
    const distances = this.spans.flatMap(({ value, window }) =>
      value === 'waiting' ? [distanceMs(window, from)] : [],
    );
    return distances.length === 0 ? undefined : Math.min(...distances);
  }

  /** The part counts as loading from now on. */
  take(place: PartPlace, from: UpstreamInstant): PastPart | undefined {
    // Until something is measured, all parts would share the same error.
    if (!this.#density.isMeasured && this.#loading.size > 0) return undefined;
    for (const gap of this.#gaps(from)) {
      if (gap.isBusy !== (place === 'middle')) continue;
      if (gap.isBusy && this.#partsNeeded(gap) < PARTS_WORTH_HALVES) continue;
      const open = gap.isBusy ? this.#farHalf(gap) : gap;
      const part: PastPart = { bbox: this.bbox, window: this.#density.placePart(open, this.#maxPartMs) };
      this.#set(part, 'loading', 0);
      this.#loading.add(part);
      return part;
    }
    return undefined;
  }

  /** @returns the slices of new quarters */
  answered(part: PastPart, { records, truncated, observedAts }: ReadCount): readonly BoxSlices[] {
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

  /** @returns none where the part can't be cut */
  halve(part: PastPart): readonly PastPart[] {
    const { bbox, window } = part;
    if (isSmallestWindow(window)) return [];
    this.#loading.delete(part);
    return halvesOf(window).map((half) => {
      const read: PastPart = { bbox, window: half };
      this.#set(read, 'loading', 0);
      this.#loading.add(read);
      this.#wholeOf.set(read, window);
      return read;
    });
  }

  failed(part: PastPart): void {
    this.#loading.delete(part);
    this.#set(part, 'failed', 0);
  }

  retry(): void {
    for (const { window, value } of [...this.spans]) {
      if (isRequested(value, 'failed')) this.#timeline.set(window, 'waiting');
    }
  }

  /** Adds a cached window, which may extend beyond this one. */
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

  #partsNeeded(gap: UnreadSpan): number {
    return this.#density.partsNeeded(gap, this.#maxPartMs);
  }

  #quarterWhereDense(): readonly BoxSlices[] {
    return this.#openWindows().flatMap((window) => {
      const pages = this.#density.pagesExpected({ window, end: 'start' });
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

  #set(part: PastPart, status: RequestedPart['status'], records: number): void {
    this.#timeline.set(part.window, { ...part, status, records });
  }

  #openWindows(): readonly Window[] {
    return this.spans.flatMap(({ value, window }) => (value === 'waiting' ? [window] : []));
  }

  /** The gaps, the nearest first. The one around the instant is cut there, unless it takes one part. */
  #gaps(from: UpstreamInstant): readonly OpenGap[] {
    const isLoading = (at: UpstreamInstant, edge: 'start' | 'end') =>
      this.spans.some(({ value, window }) => window[edge] === at && isRequested(value, 'loading'));
    return this.#openWindows()
      .flatMap((window): readonly (UnreadSpan & { readonly window: Window })[] => {
        if (window.end <= from) return [{ window, end: 'end' }];
        if (window.start >= from) return [{ window, end: 'start' }];
        const whole: UnreadSpan = { window, end: 'start' };
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

  #farHalf(gap: UnreadSpan): UnreadSpan {
    const [early, late] = halvesOf(gap.window);
    return { ...gap, window: gap.end === 'start' ? late : early };
  }
}

function isRequested(value: SliceState, status: RequestedPart['status']): boolean {
  return typeof value === 'object' && 'status' in value && value.status === status;
}

export interface Span<T> {
  readonly window: Window;
  readonly value: T;
}

/** A window in spans with a value each. They never overlap, and their union is always the window. */
export class TimeSlices<T> {
  readonly #spans: Span<T>[];

  constructor(window: Window, value: T) {
    this.#spans = [{ window, value }];
  }

  get spans(): readonly Span<T>[] {
    return this.#spans;
  }

  /** Neighbours with the same value become one span. */
  set(window: Window, value: T): void {
    const spans = this.#spans;
    const first = spans.findIndex((span) => span.window.end > window.start);
    const after = spans.findIndex((span) => span.window.start >= window.end);
    const last = (after === -1 ? spans.length : after) - 1;
    const [before, behind] = [spans[first], spans[last]];
    if (first === -1 || before === undefined || behind === undefined) return;
    const pieces: Span<T>[] = [];
    const add = (span: Span<T>) => {
      if (span.window.end <= span.window.start) return;
      const previous = pieces.at(-1);
      if (previous?.value === span.value) {
        pieces[pieces.length - 1] = { ...span, window: { start: previous.window.start, end: span.window.end } };
      } else pieces.push(span);
    };
    const from = Math.max(0, first - 1);
    const to = Math.min(spans.length - 1, last + 1);
    if (from < first) add(spans[from] as Span<T>);
    add({ window: { start: before.window.start, end: window.start }, value: before.value });
    add({ window, value });
    add({ window: { start: window.end, end: behind.window.end }, value: behind.value });
    if (to > last) add(spans[to] as Span<T>);
    spans.splice(from, to - from + 1, ...pieces);
  }
}

/** The source counts all layers before it filters by layer (History behaviour), so it may truncate less than a page. */
class HiddenLoad {
  #wholeMs = 0;
  #overfullMs = Number.POSITIVE_INFINITY;

  /** The longest part; infinite while no window was truncated with less than a page. */
  get maxPartMs(): number {
    if (this.#overfullMs === Number.POSITIVE_INFINITY) return this.#overfullMs;
    if (this.#wholeMs === 0) return this.#overfullMs / 2;
    return this.#overfullMs < CLOSE * this.#wholeMs ? this.#wholeMs : Math.sqrt(this.#overfullMs * this.#wholeMs);
  }

  learnWhole(window: Window): void {
    this.#wholeMs = Math.max(this.#wholeMs, windowLengthMs(window));
    if (this.#wholeMs >= this.#overfullMs) this.#overfullMs = this.#wholeMs * FORGIVEN;
  }

  learnOverfull(window: Window): void {
    this.#overfullMs = Math.min(this.#overfullMs, windowLengthMs(window));
    if (this.#wholeMs >= this.#overfullMs) this.#wholeMs = this.#overfullMs / 2;
  }
}

/** Quarters share edges but no area; empty where no side can be cut. @param bbox does not cross 180° */
export function quarterBbox(bbox: Bbox): readonly Bbox[] {
  const columns = halves(bbox.west, bbox.east, lonSpanDeg(bbox));
  const rows = halves(bbox.south, bbox.north, latSpanDeg(bbox));
  if (columns.length * rows.length === 1) return [];
  return rows.flatMap(([south, north]) => columns.map(([west, east]) => ({ west, south, east, north })));
}

function halves(from: number, to: number, spanDeg: number): readonly (readonly [number, number])[] {
  if (spanDeg < 2 * SMALLEST_SIDE_DEG) return [[from, to]];
  // Adding 0 turns -0 into 0.
  const middle = Math.round((from + spanDeg / 2) / FINEST_LINE_DEG) * FINEST_LINE_DEG + 0;
  return [
    [from, middle],
    [middle, to],
  ];
}
