import type { LonLat } from '#lib/geo/great-circle.ts';

/** What is sent: each track sends one position a second, at its own moment in the second, from its own parallel. */
export interface FlownTrack {
  readonly index: number;
  readonly isDrone: boolean;
}

export const AIRCRAFT = 3000;
export const DRONES = 300;
/** Parallels are so far apart, so that a position says which track it is of. */
const PARALLEL_DEG = 0.001;
const FIRST_LAT = { aircraft: 45, drone: 40 };
const WEST = 5;
/** How far a track comes in a second: 200 m/s and 8 m/s at its parallel, in whole steps of what is sent. */
const STEP_DEG = { aircraft: 0.0025, drone: 0.0001 };
export const SPEED_MPS = { aircraft: 197, drone: 8.5 };

const kindOf = ({ isDrone }: FlownTrack) => (isDrone ? 'drone' : 'aircraft');

/** When in each second a track sends, in ms: never at the same time as its neighbour. */
export function phaseMs({ index }: FlownTrack): number {
  return (index * 377) % 1000;
}

export function placeAt(track: FlownTrack, second: number): LonLat {
  const kind = kindOf(track);
  return {
    lon: Number((WEST + second * STEP_DEG[kind]).toFixed(4)),
    lat: Number((FIRST_LAT[kind] + track.index * PARALLEL_DEG).toFixed(3)),
  };
}

/** Which sent position this is: the track and the second; NaN where it is none. */
export function sentAs(isDrone: boolean, { lon, lat }: LonLat): { readonly index: number; readonly second: number } {
  const kind = isDrone ? 'drone' : 'aircraft';
  return {
    index: wholeOf((lat - FIRST_LAT[kind]) / PARALLEL_DEG),
    second: wholeOf((lon - WEST) / STEP_DEG[kind]),
  };
}

function wholeOf(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) < 0.01 ? whole : Number.NaN;
}

/** A box of one layer's tracks from `first` to before `end`, all the way that they fly in so many seconds. */
export function boxOf(isDrone: boolean, first: number, end: number, seconds: number) {
  const kind = isDrone ? 'drone' : 'aircraft';
  return {
    west: WEST - 0.01,
    south: FIRST_LAT[kind] + (first - 0.5) * PARALLEL_DEG,
    east: WEST + (seconds + 10) * STEP_DEG[kind],
    north: FIRST_LAT[kind] + (end - 0.5) * PARALLEL_DEG,
  };
}
