import type { Area } from '#lib/geo/area.ts';
import { areaBbox, distanceToAreaM, lineTouchesArea } from '#lib/geo/area.ts';
import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { ReplayStore } from '../store/replay-store.ts';
import type { RowRecord } from './row-record.ts';
import type { Approach, Extent, PossibleCrossing, WindowTrack } from './window-tracks.ts';

export interface ScanQuestion {
  /** Whether the filter shows the record by every criterion but the place. */
  readonly isShownElsewhere: (record: RowRecord) => boolean;
  readonly isInside: (record: RowRecord) => boolean;
  /** `undefined`: everywhere is inside. */
  readonly area: Area | undefined;
  readonly place: LonLat | undefined;
}

export interface ScannedTrack {
  readonly positions: number;
  readonly shown: WindowTrack | undefined;
  readonly crossing: PossibleCrossing | undefined;
  readonly nearestOutside: Approach | undefined;
}

/**
 * Times are since the store's start.
 * @param countShown called with the time of each shown position
 */
export function scanTrack(
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
