import { type Bbox, crossesAntimeridian } from '#lib/geo/bbox.ts';
import { boxRing } from '#lib/geo/box-ring.ts';
import { joinAtAntimeridian } from '#lib/geo/join-at-antimeridian.ts';

/** The frame of the covered area and the shade over everything else, as GeoJSON for the map. */
export interface CoveredOutline {
  readonly frame: GeoJSON.FeatureCollection<GeoJSON.LineString>;
  readonly shade: GeoJSON.FeatureCollection<GeoJSON.Polygon>;
}

const nothing = { type: 'FeatureCollection', features: [] } as const;

export const NO_OUTLINE: CoveredOutline = {
  frame: { ...nothing, features: [] },
  shade: { ...nothing, features: [] },
};

/**
 * @param covered one box, or the two halves of a box across 180°: first west of 180°, then east of it. The frame has no line along
 *   180°, since the halves are one area
 */
export function coveredOutline(covered: readonly Bbox[]): CoveredOutline {
  const whole = joinAtAntimeridian(covered);
  if (!whole) return NO_OUTLINE;
  const { west, south, north } = whole;
  const east = crossesAntimeridian(whole) ? whole.east + 360 : whole.east;
  return {
    frame: featureCollection({ type: 'LineString', coordinates: boxRing(whole) }),
    // Rectangles around the area, within one world width that starts at its western edge.
    shade: featureCollection(
      rectangle(west, north, west + 360, 90),
      rectangle(west, -90, west + 360, south),
      rectangle(east, south, west + 360, north),
    ),
  };
}

function rectangle(west: number, south: number, east: number, north: number): GeoJSON.Polygon {
  return {
    type: 'Polygon',
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ],
  };
}

function featureCollection<G extends GeoJSON.Geometry>(...geometries: G[]): GeoJSON.FeatureCollection<G> {
  return {
    type: 'FeatureCollection',
    features: geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
  };
}
