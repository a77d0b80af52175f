import { type Bbox, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { wrapLongitude } from './longitude.ts';

/** Grows each side by `part` of its length (half of it at each end), within the world. */
export function growByPart(bbox: Bbox, part: number): Bbox {
  const growLatDeg = (latSpanDeg(bbox) * part) / 2;
  const south = Math.max(-90, bbox.south - growLatDeg);
  const north = Math.min(90, bbox.north + growLatDeg);
  const spanDeg = lonSpanDeg(bbox) * (1 + part);
  if (spanDeg >= 360) return { west: -180, south, east: 180, north };
  const west = wrapLongitude(bbox.west - (spanDeg - lonSpanDeg(bbox)) / 2);
  const east = wrapLongitude(west + spanDeg);
  return { west, south, east: east === -180 ? 180 : east, north };
}
