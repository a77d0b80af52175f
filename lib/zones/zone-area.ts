import { type Area, corridorOf, polygonOf } from '#lib/geo/area.ts';
import { roundedArea } from '#lib/geo/area-parameter.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { shapeOutline } from './shape-outline.ts';
import type { ZoneShape } from './zone.ts';

/** The area of a filter with the same ground as a zone, to the tenth of a metre that a link keeps. */
export function areaOfShape(shape: ZoneShape): Area {
  switch (shape.type) {
    case 'Circle':
      return roundedArea({ kind: 'circle', centre: placeOf(shape.centre), radiusM: shape.radius_m });
    case 'Polygon': {
      const [edge = [], ...holes] = shape.coordinates.map((ring) => ring.slice(0, -1).map(placeOf));
      return roundedArea(polygonOf(edge, holes));
    }
    case 'Corridor':
      return roundedArea(corridorOf(shape.line.map(placeOf), shape.half_width_m));
  }
}

export function shapeOfArea(area: Area): ZoneShape {
  switch (area.kind) {
    case 'circle':
      return { type: 'Circle', centre: cornerOf(area.centre), radius_m: area.radiusM };
    case 'polygon':
      return {
        type: 'Polygon',
        coordinates: [area.corners, ...(area.holes ?? [])].map((ring) => [...ring, ...ring.slice(0, 1)].map(cornerOf)),
      };
    case 'corridor':
      return { type: 'Corridor', line: area.line.map(cornerOf), half_width_m: area.halfWidthM };
  }
}

/** The closed lines around an area and its holes. Longitudes run on past 180°. */
export function areaRings(area: Area): readonly (readonly LonLat[])[] {
  return shapeOutline(shapeOfArea(area))
    .flat()
    .map((ring) => ring.map(placeOf));
}

function placeOf([lon, lat]: readonly [number, number]): LonLat {
  return { lon, lat };
}

function cornerOf({ lon, lat }: LonLat): [number, number] {
  return [wrapLongitude(lon), lat];
}
