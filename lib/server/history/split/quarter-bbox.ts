import 'server-only';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';

/** About 1.7 km. */
export const SMALLEST_SIDE_DEG = 1 / 64;
/** Multiples are exact in binary and in the seven decimals of a formatted box. */
const FINEST_LINE_DEG = 1 / 128;

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
