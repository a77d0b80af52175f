import { type Bbox, eastPastWest } from '#lib/geo/bbox.ts';

/** A GeoJSON ring. Across 180°, longitudes run on, so that no line is drawn along it. */
export function boxRing(bbox: Bbox): GeoJSON.Position[] {
  const { west, south, north } = bbox;
  const east = eastPastWest(bbox);
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}
