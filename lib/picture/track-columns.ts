import { byName, NUMBER_NAMES } from '#lib/model/record-fields.ts';

/** By slot, in double precision. */
const DOUBLES = [
  ...NUMBER_NAMES,
  'observedAtMs',
  'staleAfterMs',
  /** When the position expires: its own stale_after, or the fallback of lib/model/ageing.ts. */
  'expiresAtMs',
  'mercatorX',
  'mercatorY',
] as const;

/**
 * Tracks as columns, by slot: what a picture is made from. NaN is "not reported". A slot is free where `used` is 0.
 * Times are milliseconds of the epoch on the upstream's clock.
 */
export interface TrackColumns extends Record<(typeof DOUBLES)[number], Float64Array> {
  capacity: number;
  /** Slots from here on were never used. */
  end: number;
  used: Uint8Array;
  /** Bits of mark-style.ts that follow from the record alone. */
  style: Uint16Array;
  /** Three bytes a slot: the colour of the altitude (aircraft) or height (drones). */
  rgb: Uint8Array;
}

export function makeTrackColumns(capacity: number): TrackColumns {
  return {
    capacity,
    end: 0,
    used: new Uint8Array(capacity),
    style: new Uint16Array(capacity),
    rgb: new Uint8Array(capacity * 3),
    ...byName(DOUBLES, () => new Float64Array(capacity)),
  };
}

/** The slots that were ever used, in memory of their own. */
export function copyTrackColumns(columns: TrackColumns): TrackColumns {
  const { end } = columns;
  const copy = {
    ...columns,
    capacity: end,
    used: columns.used.slice(0, end),
    style: columns.style.slice(0, end),
    rgb: columns.rgb.slice(0, end * 3),
  };
  for (const name of DOUBLES) copy[name] = columns[name].slice(0, end);
  return copy;
}

/** Doubles the room in place; what the columns held stays. */
export function growTrackColumns(columns: TrackColumns): void {
  const bigger = makeTrackColumns(columns.capacity * 2);
  for (const name of DOUBLES) {
    bigger[name].set(columns[name]);
    columns[name] = bigger[name];
  }
  bigger.used.set(columns.used);
  bigger.style.set(columns.style);
  bigger.rgb.set(columns.rgb);
  columns.used = bigger.used;
  columns.style = bigger.style;
  columns.rgb = bigger.rgb;
  columns.capacity = bigger.capacity;
}
