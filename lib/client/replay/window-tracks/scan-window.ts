import { Coalesced } from '#lib/async/coalesced.ts';
import {
  type FilteredMeasure,
  type FilteredRecord,
  isInPlace,
  isShown,
  type TrackFilter,
  verdictOn,
} from '#lib/filter/track-filter.ts';
import { type Area, areaBbox, distanceToAreaM, lineTouchesArea, polygonOf } from '#lib/geo/area.ts';
import { type Bbox, lonSpanDeg } from '#lib/geo/bbox.ts';
import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { KIND_OF_LAYER, LAYER_OF_KIND, LAYERS, type Layer, type TrackKind } from '#lib/model/position.ts';
import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY } from '#lib/picture/mark-style.ts';
import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { nextTask, sleep } from '../../browser/page-timers.ts';
import { reportPageError } from '../../page-errors/page-errors.ts';
import { ValueStore } from '../../value-store.ts';
import type { ReplayStore } from '../store/replay-store.ts';
import type { Approach, Extent, KindInWindow, PossibleCrossing, WindowTrack, WindowTracks } from './window-tracks.ts';

/** Positions that are scanned before the page may draw again. */
const SLICE = 20_000;

export interface WindowScan {
  readonly store: ReplayStore;
  readonly window: Window;
  readonly layers: ReadonlySet<Layer>;
  readonly filter: TrackFilter;
  readonly visible: Bbox | undefined;
  readonly place: LonLat | undefined;
}

/**
 * Which tracks of a replay pass an area in a window, for how long and how near. By received positions alone; filters by age do not apply.
 * @returns `undefined` once `isWanted` is false
 */
export async function scanWindow(
  { store, window, layers, filter, visible, place }: WindowScan,
  { yieldToMain, isWanted }: { yieldToMain(): Promise<void>; isWanted(): boolean },
): Promise<WindowTracks | undefined> {
  const fromMs = msBetween(store.window.start, window.start);
  const { binMs } = store.histogram;
  const record = new RowRecord(store);
  const question = questionOf(filter, visible, place);
  const found: Record<TrackKind, Found> = { drone: emptyKind(window, binMs), aircraft: emptyKind(window, binMs) };
  let looked = 0;
  for (let track = 0; track < store.trackCount; track++) {
    const kind = store.kindOf(track);
    if (!layers.has(LAYER_OF_KIND[kind])) continue;
    const ofKind = found[kind];
    const { histogram } = ofKind;
    const scanned = scanTrack(store, track, fromMs, record, question, (timeMs) => {
      const bin = Math.floor((timeMs - fromMs) / binMs);
      histogram[bin] = (histogram[bin] as number) + 1;
    });
    if (scanned.positions > 0) ofKind.received++;
    if (scanned.shown) ofKind.tracks.push(scanned.shown);
    if (scanned.crossing) ofKind.crossings.push(scanned.crossing);
    ofKind.nearestOutside = nearer(ofKind.nearestOutside, scanned.nearestOutside);
    looked += store.seriesOf(track).count;
    if (looked < SLICE) continue;
    looked = 0;
    await yieldToMain();
    if (!isWanted()) return undefined;
  }
  for (const layer of LAYERS) found[KIND_OF_LAYER[layer]].tracks.sort((a, b) => msBetween(b.first, a.first));
  return found;
}

/** The pause between two scans of a store that grows. */
const REST_MS = 300;

export interface ScanState {
  readonly tracks: WindowTracks | undefined;
  /** The question behind `tracks`; if not the current one, a scan is running or due. */
  readonly of: WindowScan | undefined;
}

/** Runs one scan at a time; changes meanwhile cause one more, of the last. */
export class WindowScans {
  readonly state = new ValueStore<ScanState>({ tracks: undefined, of: undefined });
  readonly #runs = new Coalesced(() => this.#run().catch((error) => reportPageError('uncaught', error)));
  #wanted: WindowScan | undefined;

  want(scan: WindowScan): void {
    this.#wanted = scan;
    // It never rejects: failures are reported.
    void this.#runs.run();
  }

  stop(): void {
    this.#wanted = undefined;
  }

  async #run(): Promise<void> {
    const scan = this.#wanted;
    if (!scan || scan === this.state.get().of) return;
    // A growing store is scanned to its end: what it adds comes with the next scan.
    const isWanted = () => this.#wanted?.store === scan.store;
    const tracks = await scanWindow(scan, { yieldToMain: nextTask, isWanted });
    if (tracks) this.state.set({ tracks, of: scan });
    if (this.#wanted && this.#wanted !== scan) await sleep(REST_MS);
  }
}

type Found = {
  -readonly [Name in 'received' | 'nearestOutside']: KindInWindow[Name];
} & Pick<KindInWindow, 'histogram'> & {
    readonly tracks: WindowTrack[];
    readonly crossings: PossibleCrossing[];
  };

function emptyKind(window: Window, binMs: number): Found {
  const bins = Math.ceil(windowLengthMs(window) / binMs);
  return { received: 0, tracks: [], crossings: [], nearestOutside: undefined, histogram: new Uint32Array(bins) };
}

function questionOf(filter: TrackFilter, visible: Bbox | undefined, place: LonLat | undefined): ScanQuestion {
  const inside = filter.inside === 'view' ? visible : filter.inside;
  const { emergency } = filter;
  const elsewhere: TrackFilter = {
    ...filter,
    inside: undefined,
    ageS: undefined,
    // The map shows emergencies despite the filter, but they are no answer to the question.
    emergency: emergency === 'only' ? emergency : undefined,
  };
  return {
    isShownElsewhere: (record) => isShown(elsewhere, verdictOn(elsewhere, record, 0, undefined)),
    isInside: (record) => inside === undefined || isInPlace(inside, record.lon, record.lat),
    area: inside && scannedArea(inside),
    place,
  };
}

/** `undefined` for a box that is too wide to be near to anything. */
export function scannedArea(inside: Bbox | Area): Area | undefined {
  if ('kind' in inside) return inside;
  if (lonSpanDeg(inside) >= 180) return undefined;
  const { west, south, east, north } = inside;
  return polygonOf([
    { lon: west, lat: south },
    { lon: east, lat: south },
    { lon: east, lat: north },
    { lon: west, lat: north },
  ]);
}

function nearer(one: Approach | undefined, other: Approach | undefined): Approach | undefined {
  return one && other && other.distanceM >= one.distanceM ? one : (other ?? one);
}

interface ScanQuestion {
  /** Whether the filter shows the record by every criterion but the place. */
  readonly isShownElsewhere: (record: RowRecord) => boolean;
  readonly isInside: (record: RowRecord) => boolean;
  /** Everywhere is inside where it is `undefined`. */
  readonly area: Area | undefined;
  readonly place: LonLat | undefined;
}

interface ScannedTrack {
  readonly positions: number;
  readonly shown: WindowTrack | undefined;
  readonly crossing: PossibleCrossing | undefined;
  readonly nearestOutside: Approach | undefined;
}

/**
 * Times are since the store's start.
 * @param countShown called with the time of each shown position
 */
function scanTrack(
  store: ReplayStore,
  track: number,
  fromMs: number,
  record: RowRecord,
  question: ScanQuestion,
  countShown: (timeMs: number) => void,
): ScannedTrack {
  const series = store.seriesOf(track);
  const first = series.lastAtOrBefore(fromMs - 1, 0) + 1;
  const summary = new Summary(store, track, question.place);
  for (let index = first; index < series.count; index++) {
    record.row = series.row(index);
    if (!question.isInside(record) || !question.isShownElsewhere(record)) continue;
    summary.add(record, series.timeMs(index));
    countShown(series.timeMs(index));
  }
  const shown = summary.track;
  const positions = series.count - first;
  if (shown || !question.area || positions === 0)
    return { positions, shown, crossing: undefined, nearestOutside: undefined };
  return { positions, shown, ...passOutside(store, track, first, record, question, question.area) };
}

class Summary {
  readonly #store: ReplayStore;
  readonly #track: number;
  readonly #place: LonLat | undefined;
  readonly #height = new Spread();
  readonly #altitude = new Spread();
  #positions = 0;
  #firstMs = 0;
  #lastMs = 0;
  #flags = 0;
  #nearestM = Number.POSITIVE_INFINITY;
  #nearestMs = 0;

  constructor(store: ReplayStore, track: number, place: LonLat | undefined) {
    this.#store = store;
    this.#track = track;
    this.#place = place;
  }

  add(record: RowRecord, timeMs: number): void {
    if (this.#positions === 0) this.#firstMs = timeMs;
    this.#lastMs = timeMs;
    this.#positions++;
    this.#flags |= record.flags;
    this.#height.add(record.measure('heightAglM'));
    this.#altitude.add(record.measure('altitudeM'));
    if (!this.#place) return;
    const metres = distanceM(this.#place, record);
    if (metres >= this.#nearestM) return;
    this.#nearestM = metres;
    this.#nearestMs = timeMs;
  }

  get track(): WindowTrack | undefined {
    if (this.#positions === 0) return undefined;
    const ref = this.#store.refOf(this.#track);
    return {
      ref,
      kind: this.#store.kindOf(this.#track),
      ...unreal(this.#flags),
      positions: this.#positions,
      first: instantAt(this.#store, this.#firstMs),
      last: instantAt(this.#store, this.#lastMs),
      heightAglM: this.#height.extent,
      altitudeM: this.#altitude.extent,
      nearest: this.#place && { ref, distanceM: this.#nearestM, at: instantAt(this.#store, this.#nearestMs) },
    };
  }
}

class Spread {
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;

  /** @param value NaN: not reported */
  add(value: number): void {
    if (value < this.#lowest) this.#lowest = value;
    if (value > this.#highest) this.#highest = value;
  }

  get extent(): Extent | undefined {
    return this.#lowest <= this.#highest ? { lowest: this.#lowest, highest: this.#highest } : undefined;
  }
}

/** The nearest position, and whether the track may have crossed between two. */
function passOutside(
  store: ReplayStore,
  track: number,
  first: number,
  record: RowRecord,
  question: ScanQuestion,
  area: Area,
): Pick<ScannedTrack, 'crossing' | 'nearestOutside'> {
  const series = store.seriesOf(track);
  const { ref, kind } = { ref: store.refOf(track), kind: store.kindOf(track) };
  const { south, north } = areaBbox(area);
  let nearest: Approach | undefined;
  let crossing: PossibleCrossing | undefined;
  let before: LonLat | undefined;
  let beforeMs = 0;
  let wasShown = false;
  // The track may have crossed on the way from the last position before the window.
  for (let index = Math.max(0, first - 1); index < series.count; index++) {
    record.row = series.row(index);
    const isShown = question.isShownElsewhere(record);
    const at = { lon: record.lon, lat: record.lat };
    const timeMs = series.timeMs(index);
    if (isShown && index >= first) {
      const metres = distanceToAreaM(area, at);
      if (!nearest || metres < nearest.distanceM) nearest = { ref, distanceM: metres, at: instantAt(store, timeMs) };
    }
    const isBeside = before && (Math.max(before.lat, at.lat) < south || Math.min(before.lat, at.lat) > north);
    if (!crossing && before && !isBeside && (isShown || wasShown) && lineTouchesArea(area, before, at)) {
      const [from, to] = [instantAt(store, beforeMs), instantAt(store, timeMs)];
      crossing = { ref, kind, ...unreal(record.flags), from, to };
    }
    before = at;
    beforeMs = timeMs;
    wasShown = isShown;
  }
  return { crossing, nearestOutside: nearest };
}

function unreal(flags: number) {
  return { simulated: (flags & FLAG_SIMULATED) !== 0, testBroadcast: (flags & FLAG_TEST) !== 0 };
}

function instantAt({ window }: ReplayStore, timeMs: number): UpstreamInstant {
  return upstreamInstant(epochMs(window.start) + timeMs);
}

/** One row of the store at a time, as filters read it. */
class RowRecord implements FilteredRecord {
  row = 0;
  readonly #store: ReplayStore;

  constructor(store: ReplayStore) {
    this.#store = store;
  }

  get flags(): number {
    return this.#store.labelSets.at(this.#store.rows.labelSet(this.row)).style;
  }

  /** Filters by age do not apply to the past. */
  get observedAtMs(): number {
    return 0;
  }

  get lon(): number {
    return this.#store.rows.read.lon(this.row);
  }

  get lat(): number {
    return this.#store.rows.read.lat(this.row);
  }

  get isEmergency(): boolean {
    return (this.flags & MARK_EMERGENCY) !== 0;
  }

  get confidence(): string | undefined {
    return this.#store.labelSets.at(this.#store.rows.labelSet(this.row)).label('confidence');
  }

  readonly measure = (name: FilteredMeasure): number => this.#store.rows.read[name](this.row);
}
