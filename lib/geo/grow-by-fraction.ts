import { type Bbox, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { wrapEastEdge, wrapLongitude } from './longitude.ts';

/** Latitudes stop at the poles. Near `maxSpanDeg` a side grows by less. */
export function growByFraction(bbox: Bbox, fraction: number, maxSpanDeg: number): Bbox {
  const growLatDeg = growthDeg(latSpanDeg(bbox), fraction, maxSpanDeg);
  const south = Math.max(-90, bbox.south - growLatDeg / 2);
  const north = Math.min(90, bbox.north + growLatDeg / 2);
  const growLonDeg = growthDeg(lonSpanDeg(bbox), fraction, maxSpanDeg);
  if (growLonDeg === 0) return { ...bbox, south, north };
  const west = wrapLongitude(bbox.west - growLonDeg / 2);
  return { west, south, east: wrapEastEdge(west + lonSpanDeg(bbox) + growLonDeg), north };
}

/** Half of the room at most, so that rounded edges cannot exceed the limit. */
function growthDeg(spanDeg: number, fraction: number, maxSpanDeg: number): number {
  return Math.min(spanDeg * fraction, Math.max(0, maxSpanDeg - spanDeg) / 2);
}
