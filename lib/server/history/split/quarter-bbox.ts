import 'server-only';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';

/** About 1.7 km: a box of this size with more than a page in one second is reported as too dense, and not cut further. */
export const SMALLEST_SIDE_DEG = 1 / 64;

/**
 * The quarters of a box that does not cross 180°: they share edges but no area, and their union is the box. A side under
 * twice the smallest is not cut; the result is empty where neither is.
 */
export function quarterBbox(bbox: Bbox): readonly Bbox[] {
  const { west, south, east, north } = bbox;
  const lon = middleLine(west, lonSpanDeg(bbox));
  const lat = middleLine(south, latSpanDeg(bbox));
  if (lon === undefined && lat === undefined) return [];
  const columns =
    lon === undefined
      ? [[west, east]]
      : [
          [west, lon],
          [lon, east],
        ];
  const rows =
    lat === undefined
      ? [[south, north]]
      : [
          [south, lat],
          [lat, north],
        ];
  return rows.flatMap(([bottom, top]) =>
    columns.map(([left, right]) => ({
      west: left as number,
      south: bottom as number,
      east: right as number,
      north: top as number,
    })),
  );
}

/** Multiples of 1/128 degree are exact in binary and in the seven decimals of a formatted box. */
const FINEST_LINE_DEG = 1 / 128;

/** The line nearest to the middle, on a grid of a power of two degrees. */
function middleLine(fromDeg: number, spanDeg: number): number | undefined {
  if (spanDeg < 2 * SMALLEST_SIDE_DEG) return undefined;
  const stepDeg = Math.max(FINEST_LINE_DEG, 2 ** Math.floor(Math.log2(spanDeg / 16)));
  // Adding 0 turns -0 into 0.
  return Math.round((fromDeg + spanDeg / 2) / stepDeg) * stepDeg + 0;
}
