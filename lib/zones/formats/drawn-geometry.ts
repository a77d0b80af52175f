import { cutLine, cutPolygon, doubleArea } from '#lib/geo/cut-at-antimeridian.ts';
import { circlePoints } from '#lib/geo/geodesic-lines.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { ZoneShape } from '../zone.ts';
import type { LonLatPair } from './read-values.ts';

export type DrawnGeometry =
  | { readonly type: 'Polygon'; readonly coordinates: LonLatPair[][] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: LonLatPair[][][] }
  | { readonly type: 'LineString'; readonly coordinates: LonLatPair[] }
  | { readonly type: 'MultiLineString'; readonly coordinates: LonLatPair[][] };

/** Seven decimals are about a centimetre. */
const DECIMALS = 1e7;

/** Cut at 180° (RFC 7946, 3.1.9); edges counter-clockwise, holes clockwise (3.1.6). */
export function drawnGeometry(shape: ZoneShape): DrawnGeometry {
  if (shape.type === 'Corridor') {
    const lines = cutLine(shape.line);
    return lines.length === 1
      ? { type: 'LineString', coordinates: lines[0] as LonLatPair[] }
      : { type: 'MultiLineString', coordinates: lines };
  }
  const polygons = cutPolygon(shape.type === 'Circle' ? [circleRing(shape)] : shape.coordinates).map((rings) =>
    rings.map((ring, index) => (doubleArea(ring) > 0 === (index === 0) ? ring : ring.toReversed())),
  );
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] as LonLatPair[][] }
    : { type: 'MultiPolygon', coordinates: polygons };
}

function circleRing({ centre: [lon, lat], radius_m }: ZoneShape & { type: 'Circle' }): LonLatPair[] {
  return circlePoints({ lon, lat }, radius_m).map((point) => [rounded(wrapLongitude(point.lon)), rounded(point.lat)]);
}

function rounded(deg: number): number {
  return Math.round(deg * DECIMALS) / DECIMALS + 0;
}
