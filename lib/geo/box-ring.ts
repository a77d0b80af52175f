import { type Bbox, lonSpanDeg } from '#lib/geo/bbox.ts';

/** The edge of a box as GeoJSON takes it; across 180° it goes on beyond it, so that no line runs along 180° itself. */
export function boxRing(bbox: Bbox): GeoJSON.Position[] {
  const { west, south, north } = bbox;
  const east = west + lonSpanDeg(bbox);
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}
