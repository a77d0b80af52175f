import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';

type Corner = readonly [number, number];

const M_PER_DEG = (Math.PI / 180) * EARTH_RADIUS_M;
/** A degree of latitude is up to this much shorter on the flattened Earth. */
const FLATTENED = 1.007;

export function shapeBox(shape: ZoneShape, marginM: number): Bbox {
  const box = cornersBox(cornersOf(shape));
  switch (shape.type) {
    case 'Polygon':
      return grown(box, marginM);
    case 'Circle':
      return grown(box, shape.radius_m + marginM);
    case 'Corridor':
      return grown(box, shape.half_width_m + marginM);
  }
}

/** Of the box of its corners: it may lie outside of the shape. */
export function shapeCentre(shape: ZoneShape): LonLat {
  const { west, south, east, north } = cornersBox(cornersOf(shape));
  return { lon: wrapLongitude((west + east) / 2), lat: (south + north) / 2 };
}

function cornersOf(shape: ZoneShape): readonly Corner[] {
  switch (shape.type) {
    case 'Polygon':
      return shape.coordinates[0] ?? [];
    case 'Circle':
      return [shape.centre];
    case 'Corridor':
      return shape.line;
  }
}

/** Longitudes continue past 180°. */
function cornersBox(corners: readonly Corner[]): Bbox {
  let [west, south, east, north] = [Number.POSITIVE_INFINITY, 90, Number.NEGATIVE_INFINITY, -90];
  let lon: number | undefined;
  for (const [cornerLon, lat] of corners) {
    lon = lon === undefined ? cornerLon : lon + wrapLongitude(cornerLon - lon);
    west = Math.min(west, lon);
    east = Math.max(east, lon);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  return { west, south, east, north };
}

function grown({ west, south, east, north }: Bbox, byM: number): Bbox {
  const latDeg = (byM / M_PER_DEG) * FLATTENED;
  const [bottom, top] = [Math.max(-90, south - latDeg), Math.min(90, north + latDeg)];
  const narrowest = Math.cos((Math.max(Math.abs(bottom), Math.abs(top)) * Math.PI) / 180);
  const lonDeg = narrowest > 0 ? latDeg / narrowest : 360;
  if (east - west + 2 * lonDeg >= 360) return { west: -180, south: bottom, east: 180, north: top };
  const edge = wrapLongitude(east + lonDeg);
  return { west: wrapLongitude(west - lonDeg), south: bottom, east: edge === -180 ? 180 : edge, north: top };
}
