import { type Bbox, crossesAntimeridian } from '#lib/geo/bbox.ts';

/** The edge of a box as a GeoJSON ring. A box across 180° has longitudes above 180, so that no line is drawn along 180°. */
export function boxRing(bbox: Bbox): GeoJSON.Position[] {
  const { west, south, north } = bbox;
  const east = crossesAntimeridian(bbox) ? bbox.east + 360 : bbox.east;
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}
