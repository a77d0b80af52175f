import type { Bbox } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { ZoneShape } from '../../zone.ts';

/** Too low, so that boxes are never too small. */
const METRES_PER_DEG = 110_500;

export function shapeBbox(shape: ZoneShape): Bbox {
  switch (shape.type) {
    case 'Polygon':
      return around(shape.coordinates[0] ?? [], 0);
    case 'Circle':
      return around([shape.centre], shape.radius_m);
    case 'Corridor':
      return around(shape.line, shape.half_width_m);
  }
}

/** @param boxes at least one */
export function bboxAround(boxes: readonly Bbox[]): Bbox {
  const corners = boxes.flatMap(({ west, south, east, north }): [number, number][] => [
    [west, south],
    [east, north],
  ]);
  return around(corners, 0);
}

function around(corners: readonly (readonly [number, number])[], marginM: number): Bbox {
  let [south, north, lon] = [90, -90, corners[0]?.[0] ?? 0];
  let [west, east] = [lon, lon];
  for (const [cornerLon, cornerLat] of corners) {
    south = Math.min(south, cornerLat);
    north = Math.max(north, cornerLat);
    lon += wrapLongitude(cornerLon - lon);
    west = Math.min(west, lon);
    east = Math.max(east, lon);
  }
  const latDeg = marginM / METRES_PER_DEG;
  [south, north] = [Math.max(-90, south - latDeg), Math.min(90, north + latDeg)];
  const narrowest = Math.cos((Math.min(89, Math.max(-south, north)) * Math.PI) / 180);
  const lonDeg = latDeg / narrowest;
  if (east - west + 2 * lonDeg >= 360) return { west: -180, south, east: 180, north };
  return { west: wrapLongitude(west - lonDeg), south, east: eastEdge(east + lonDeg), north };
}

function eastEdge(lonDeg: number): number {
  const lon = wrapLongitude(lonDeg);
  return lon === -180 ? 180 : lon;
}
