import { type Bbox, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { wrapLongitude } from './longitude.ts';

export interface CappedBbox {
  readonly bbox: Bbox;
  /** True where a side was longer than allowed, so that the box is smaller than what was asked. */
  readonly capped: boolean;
}

/**
 * Edges of a cut side lie on this grid: its lines are exact in binary and in seven decimals, so that a side of exactly the
 * limit stays so when it is computed, written and read.
 */
const EDGE_STEP_DEG = 1 / 128;

/**
 * Cuts each side that is longer than `maxSpanDeg` to that length around the middle of the box, to the nearest lines inside
 * of a grid of 1/128 degree.
 */
export function capBbox(bbox: Bbox, maxSpanDeg: number): CappedBbox {
  const tooWide = lonSpanDeg(bbox) > maxSpanDeg;
  const tooHigh = latSpanDeg(bbox) > maxSpanDeg;
  if (!tooWide && !tooHigh) return { bbox, capped: false };

  let { west, south, east, north } = bbox;
  if (tooWide) {
    const middleDeg = west + lonSpanDeg(bbox) / 2;
    west = wrapLongitude(gridLineAfter(middleDeg - maxSpanDeg / 2));
    // An eastern edge on the antimeridian is +180, so that a box that only touches it does not cross it.
    const wrappedEast = wrapLongitude(gridLineBefore(middleDeg + maxSpanDeg / 2));
    east = wrappedEast === -180 ? 180 : wrappedEast;
  }
  if (tooHigh) {
    const middleDeg = south + latSpanDeg(bbox) / 2;
    south = gridLineAfter(middleDeg - maxSpanDeg / 2);
    north = gridLineBefore(middleDeg + maxSpanDeg / 2);
  }
  return { bbox: { west, south, east, north }, capped: true };
}

function gridLineAfter(deg: number): number {
  return Math.ceil(deg / EDGE_STEP_DEG) * EDGE_STEP_DEG;
}

function gridLineBefore(deg: number): number {
  return Math.floor(deg / EDGE_STEP_DEG) * EDGE_STEP_DEG;
}
