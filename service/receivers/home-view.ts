import { type Bbox, eastPastWest } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { eastwardDeg, wrapLongitude } from '#lib/geo/longitude.ts';
import { cameraOf, type PixelSize } from '#lib/geo/view-box.ts';
import { RECEIVED_ZOOM } from '#lib/geo/zoom-limits.ts';

/** Share left out at each edge, so that one distant position does not widen the box. */
const LEFT_OUT = 0.05;
const SPAN_MIN_DEG = 1;

/**
 * The box of most places, which a few distant ones do not widen. `undefined` without places. West > east if crossing
 * 180° makes it smaller.
 */
export function boxOfMost(places: readonly LonLat[]): Bbox | undefined {
  if (places.length === 0) return undefined;
  const lats = mostOf(places.map(({ lat }) => lat).sort(ascending));
  const lons = mostOf(fromWidestGap(places.map(({ lon }) => lon).sort(ascending)));
  const [south, north] = widened(lats);
  const [west, east] = widened(lons);
  const isAround = east - west >= 360;
  return {
    west: isAround ? -180 : wrapLongitude(west),
    south: Math.max(-90, south),
    east: isAround ? 180 : wrapLongitude(east),
    north: Math.min(90, north),
  };
}

/** Longitudes past 180° are greater than 180. */
function fromWidestGap(sorted: readonly number[]): number[] {
  let start = 0;
  const last = sorted.at(-1)!;
  let widest = eastwardDeg(last, sorted[0]!);
  for (let index = 1; index < sorted.length; index += 1) {
    const gap = sorted[index]! - sorted[index - 1]!;
    if (gap > widest) [start, widest] = [index, gap];
  }
  return [...sorted.slice(start), ...sorted.slice(0, start).map((lon) => last + eastwardDeg(last, lon))];
}

function mostOf(sorted: readonly number[]): readonly [number, number] {
  const leftOut = Math.floor(sorted.length * LEFT_OUT);
  return [sorted[leftOut]!, sorted[sorted.length - 1 - leftOut]!];
}

function widened([from, to]: readonly [number, number]): readonly [number, number] {
  const moreDeg = Math.max(0, SPAN_MIN_DEG - (to - from)) / 2;
  return [from - moreDeg, to + moreDeg];
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** A first view of the map. Zoom is in MapLibre's levels, for tiles of 512 px. */
export interface BoxView {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

/** CSS pixels of the map on a small screen. */
const SHOWN: PixelSize = { width: 640, height: 640 };

/** A view that shows the box on a small screen, rounded to tenths. */
export function boxView(bbox: Bbox): BoxView {
  const { lat, lon, zoom } = cameraOf({ ...bbox, east: eastPastWest(bbox) }, SHOWN, RECEIVED_ZOOM.max);
  return { lat: tenths(lat), lon: tenths(lon), zoom: Math.floor(Math.max(RECEIVED_ZOOM.min, zoom) * 10) / 10 };
}

function tenths(value: number): number {
  // Adding 0 turns -0 into 0.
  return Math.round(value * 10) / 10 + 0;
}
