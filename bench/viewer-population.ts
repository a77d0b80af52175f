import type { Bbox } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';

export interface Point {
  readonly lon: number;
  readonly lat: number;
}

/** Twelve places, and how many aircraft are around each: some dense, some hardly received at all. */
export const PLACES: readonly (Point & { readonly aircraft: number })[] = [
  { lon: 8.5, lat: 47.5, aircraft: 2400 },
  { lon: -0.5, lat: 51.5, aircraft: 1800 },
  { lon: -74, lat: 40.7, aircraft: 2200 },
  { lon: -118.2, lat: 34, aircraft: 1500 },
  { lon: 139.7, lat: 35.7, aircraft: 900 },
  { lon: 103.9, lat: 1.4, aircraft: 500 },
  { lon: 55.3, lat: 25.2, aircraft: 450 },
  { lon: 77.2, lat: 28.6, aircraft: 500 },
  { lon: -46.6, lat: -23.5, aircraft: 350 },
  { lon: 151.2, lat: -33.9, aircraft: 250 },
  { lon: 18.4, lat: -33.9, aircraft: 60 },
  { lon: 178, lat: -18, aircraft: 20 },
];
const ELSEWHERE = 2500;
const SPREAD_OF_AIRCRAFT_DEG = 7;
const SPREAD_OF_VIEWS_DEG = 5;

/** Mulberry32: the same numbers for the same seed on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function near(place: Point, spreadDeg: number, random: () => number): Point {
  const lon = place.lon + normal(random) * spreadDeg;
  return {
    lon: lon >= 180 ? lon - 360 : lon < -180 ? lon + 360 : lon,
    lat: Math.max(-85, Math.min(85, place.lat + normal(random) * spreadDeg)),
  };
}

export function aircraft(random: () => number): readonly Point[] {
  const around = PLACES.flatMap((place) =>
    Array.from({ length: place.aircraft }, () => near(place, SPREAD_OF_AIRCRAFT_DEG, random)),
  );
  const elsewhere = Array.from({ length: ELSEWHERE }, () => ({ lon: random() * 360 - 180, lat: random() * 120 - 50 }));
  return [...around, ...elsewhere];
}

/** What one viewer looks at: a window of 16:10 between 0.2° and 30° wide, every zoom as likely as another. */
export function view(random: () => number): readonly Bbox[] {
  const place = PLACES[Math.floor(random() * PLACES.length)] as Point;
  const middle = near(place, SPREAD_OF_VIEWS_DEG, random);
  const width = 0.2 * 150 ** random();
  return window(middle, width);
}

export function window(middle: Point, width: number): readonly Bbox[] {
  const height = (width / 1.6) * Math.cos((middle.lat * Math.PI) / 180);
  const fixed = (deg: number) => Number(deg.toFixed(7));
  const west = middle.lon - width / 2;
  const east = middle.lon + width / 2;
  const bbox = {
    west: fixed(west < -180 ? west + 360 : west),
    south: fixed(Math.max(-90, middle.lat - height / 2)),
    east: fixed(east > 180 ? east - 360 : east),
    north: fixed(Math.min(90, middle.lat + height / 2)),
  };
  return splitAtAntimeridian(capBbox(bbox, LIVE_MAX_SPAN_DEG).bbox);
}
