import { grown } from '#lib/columns/typed-arrays.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { byName, NUMBER_NAMES } from '#lib/model/record-fields.ts';

const DOUBLES = [
  ...NUMBER_NAMES,
  'observedAtMs',
  'staleAfterMs',
  /** stale_after, or the fallback of lib/model/ageing.ts. */
  'expiresAtMs',
  'mercatorX',
  'mercatorY',
] as const;

/** The page's tracks by slot, in units. A slot is free if `used` is 0. NaN means "not reported"; times are epoch ms on the upstream's clock. */
export interface TrackColumns extends Record<(typeof DOUBLES)[number], Float64Array> {
  capacity: number;
  /** Slots from this one on have never been used. */
  end: number;
  used: Uint8Array;
  /** The bits of the style that depend on the record. */
  style: Uint16Array;
}

export function makeTrackColumns(capacity: number): TrackColumns {
  return {
    capacity,
    end: 0,
    used: new Uint8Array(capacity),
    style: new Uint16Array(capacity),
    ...byName(DOUBLES, () => new Float64Array(capacity)),
  };
}

/** Copies into used memory, which takes it several times as fast as new memory. */
export function copyTrackColumns(columns: TrackColumns, into: TrackColumns): void {
  const { end } = columns;
  if (into.capacity < end) Object.assign(into, makeTrackColumns(columns.capacity));
  into.end = end;
  into.used.set(columns.used.subarray(0, end));
  into.style.set(columns.style.subarray(0, end));
  for (const name of DOUBLES) into[name].set(columns[name].subarray(0, end));
}

export function copyArray<T>(from: readonly T[], into: T[], end: number): void {
  for (let slot = 0; slot < end; slot++) into[slot] = from[slot] as T;
}

export function growTrackColumns(columns: TrackColumns): void {
  for (const name of DOUBLES) columns[name] = grown(columns[name]);
  columns.used = grown(columns.used);
  columns.style = grown(columns.style);
  columns.capacity *= 2;
}

/** Computes what a mark needs of its slot's new position. */
export function deriveMark(columns: TrackColumns, slot: number): void {
  columns.mercatorX[slot] = mercatorX(columns.lon[slot] as number);
  columns.mercatorY[slot] = mercatorY(columns.lat[slot] as number);
}
