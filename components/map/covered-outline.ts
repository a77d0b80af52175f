import { type Bbox, crossesAntimeridian } from '#lib/geo/bbox.ts';
import { boxRing } from '#lib/geo/box-ring.ts';
import { joinAtAntimeridian } from '#lib/geo/join-at-antimeridian.ts';

/**
 * A frame line, and shade polygons over everything else.
 * @param covered one box, or the western then the eastern half of a box across 180°, with one frame
 */
export function coveredOutline(
  covered: readonly Bbox[],
): GeoJSON.FeatureCollection<GeoJSON.LineString | GeoJSON.Polygon> {
  const whole = joinAtAntimeridian(covered);
  if (!whole) return { type: 'FeatureCollection', features: [] };
  const { west, south, north } = whole;
  const east = crossesAntimeridian(whole) ? whole.east + 360 : whole.east;
  const geometries: (GeoJSON.LineString | GeoJSON.Polygon)[] = [
    { type: 'LineString', coordinates: boxRing(whole) },
    // Within one world width from the area's western edge.
    rectangle(west, north, west + 360, 90),
    rectangle(west, -90, west + 360, south),
    rectangle(east, south, west + 360, north),
  ];
  return {
    type: 'FeatureCollection',
    features: geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
  };
}

function rectangle(west: number, south: number, east: number, north: number): GeoJSON.Polygon {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}
