import { type Bbox, latSpanDeg, lonSpanDeg } from './bbox.ts';
import type { LonLat } from './great-circle.ts';
import { wrapEastEdge, wrapLongitude } from './longitude.ts';

export interface CappedBbox {
  readonly bbox: Bbox;
  readonly capped: boolean;
}

/** Exact in binary and in seven decimals, so that formatting and parsing change nothing. */
const EDGE_STEP_DEG = 1 / 128;

/**
 * Rounded inwards. A side that would cross a pole is shifted towards the equator.
 * @param centre default: the box's, so that the result lies inside the box
 */
export function capBbox(bbox: Bbox, maxSpanDeg: number, centre: LonLat = middleOf(bbox)): CappedBbox {
  const tooWide = lonSpanDeg(bbox) > maxSpanDeg;
  const tooHigh = latSpanDeg(bbox) > maxSpanDeg;
  if (!tooWide && !tooHigh) return { bbox, capped: false };

  let { west, south, east, north } = bbox;
  if (tooWide) {
    west = wrapLongitude(gridLineAfter(centre.lon - maxSpanDeg / 2));
    east = wrapEastEdge(gridLineBefore(centre.lon + maxSpanDeg / 2));
  }
  if (tooHigh) {
    const furthestDeg = 90 - maxSpanDeg / 2;
    const middleDeg = Math.max(-furthestDeg, Math.min(furthestDeg, centre.lat));
    south = gridLineAfter(middleDeg - maxSpanDeg / 2);
    north = gridLineBefore(middleDeg + maxSpanDeg / 2);
  }
  return { bbox: { west, south, east, north }, capped: true };
}

function middleOf(bbox: Bbox): LonLat {
  return { lon: bbox.west + lonSpanDeg(bbox) / 2, lat: bbox.south + latSpanDeg(bbox) / 2 };
}

function gridLineAfter(deg: number): number {
  return Math.ceil(deg / EDGE_STEP_DEG) * EDGE_STEP_DEG;
}

function gridLineBefore(deg: number): number {
  return Math.floor(deg / EDGE_STEP_DEG) * EDGE_STEP_DEG;
}
