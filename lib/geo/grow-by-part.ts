import { type Bbox, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { wrapLongitude } from './longitude.ts';

/**
 * Grows each side by `part` of its length (half of it at each end), within the world, and by less where that would come near
 * `maxSpanDeg`. A side that is as long as that, or longer, stays as it is.
 */
export function growByPart(bbox: Bbox, part: number, maxSpanDeg: number): Bbox {
  const growLatDeg = growthDeg(latSpanDeg(bbox), part, maxSpanDeg);
  const south = Math.max(-90, bbox.south - growLatDeg / 2);
  const north = Math.min(90, bbox.north + growLatDeg / 2);
  const growLonDeg = growthDeg(lonSpanDeg(bbox), part, maxSpanDeg);
  if (growLonDeg === 0) return { ...bbox, south, north };
  const west = wrapLongitude(bbox.west - growLonDeg / 2);
  const east = wrapLongitude(west + lonSpanDeg(bbox) + growLonDeg);
  return { west, south, east: east === -180 ? 180 : east, north };
}

/** At most half of what is left to the limit: edges are rounded on their way, and a side must not come out over it. */
function growthDeg(spanDeg: number, part: number, maxSpanDeg: number): number {
  return Math.min(spanDeg * part, Math.max(0, maxSpanDeg - spanDeg) / 2);
}
