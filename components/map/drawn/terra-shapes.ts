import type { GeoJSONStoreFeatures } from 'terra-draw';
import type { ShapeType } from '#lib/client/zones/zone-draft.ts';
import { distanceM } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { mercatorLatDeg, mercatorY } from '#lib/geo/mercator.ts';
import { shapeOutline } from '#lib/zones/shape-outline.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';

export const MODE_OF: Readonly<Record<ShapeType, 'polygon' | 'circle' | 'linestring'>> = {
  Polygon: 'polygon',
  Circle: 'circle',
  Corridor: 'linestring',
};

type Drawn = Pick<GeoJSONStoreFeatures, 'geometry'>;

/** @param halfWidthM of a corridor */
export function drawnShape(type: ShapeType, { geometry }: Drawn, halfWidthM: number): ZoneShape | undefined {
  if (type === 'Corridor')
    return geometry.type === 'LineString'
      ? { type, line: geometry.coordinates.map(pointOf), half_width_m: halfWidthM }
      : undefined;
  if (geometry.type !== 'Polygon') return undefined;
  const ring = (geometry.coordinates[0] ?? []).map(pointOf);
  return type === 'Polygon' ? { type, coordinates: [ring] } : circleOf(ring);
}

/** `undefined` for holes and shapes across 180°, which terra-draw cannot edit. */
export function editableFeature(shape: ZoneShape): GeoJSONStoreFeatures | undefined {
  const properties = { mode: MODE_OF[shape.type] };
  if (shape.type === 'Corridor') {
    if (crosses180(shape.line)) return undefined;
    return { type: 'Feature', properties, geometry: { type: 'LineString', coordinates: shape.line } };
  }
  const rings = shape.type === 'Polygon' ? shape.coordinates : circleRing(shape);
  const [ring = []] = rings;
  if (rings.length !== 1 || crosses180(ring)) return undefined;
  const isCircle = shape.type === 'Circle';
  return {
    type: 'Feature',
    properties: { ...properties, ...(isCircle && { radiusKilometers: shape.radius_m / 1000 }) },
    geometry: { type: 'Polygon', coordinates: [ring] },
  };
}

/** An edited circle has so many corners. */
const HANDLES = 12;

function circleRing(shape: ZoneShape): [number, number][][] {
  const [[ring = []] = []] = shapeOutline(shape);
  const step = Math.max(1, Math.floor((ring.length - 1) / HANDLES));
  const corners = ring.slice(0, -1).filter((_, index) => index % step === 0);
  const [first] = corners;
  return first ? [[...corners, first].map(([lon, lat]) => [Number(lon.toFixed(8)), Number(lat.toFixed(8))])] : [];
}

/** Mercator keeps circles, so the middle of the corners is the centre. */
function circleOf(ring: readonly [number, number][]): ZoneShape | undefined {
  const [first] = ring;
  if (!first) return undefined;
  const lons = ring.map(([lon]) => first[0] + wrapLongitude(lon - first[0]));
  const ys = ring.map(([, lat]) => mercatorY(lat));
  const lon = (Math.min(...lons) + Math.max(...lons)) / 2;
  const lat = mercatorLatDeg((Math.min(...ys) + Math.max(...ys)) / 2);
  const radius_m = distanceM({ lon, lat }, { lon: first[0], lat: first[1] });
  return { type: 'Circle', centre: [wrapLongitude(lon), lat], radius_m };
}

function crosses180(points: readonly (readonly [number, number])[]): boolean {
  return points.some(([lon], index) => {
    const before = points[index - 1]?.[0] ?? lon;
    return lon < -180 || lon > 180 || Math.abs(lon - before) > 180;
  });
}

function pointOf([lon = 0, lat = 0]: readonly number[]): [number, number] {
  return [wrapLongitude(lon), lat];
}
