import { areaBbox, areaContains, type Circle, lineTouchesArea } from '#lib/geo/area.ts';
import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import type { ZoneShape } from '../zone.ts';
import { corridorGround } from './corridor-ground.ts';
import type { Ground } from './ground.ts';
import { polygonGround } from './polygon-ground.ts';

/** @param shape without a `shapeProblem` */
export function groundOf(shape: ZoneShape): Ground {
  switch (shape.type) {
    case 'Polygon':
      return polygonGround(shape.coordinates.map((ring) => ring.slice(0, -1).map(lonLat)));
    case 'Circle':
      return circleGround({ kind: 'circle', centre: lonLat(shape.centre), radiusM: shape.radius_m });
    case 'Corridor':
      return corridorGround(shape.line.map(lonLat), shape.half_width_m);
  }
}

function lonLat([lon, lat]: readonly [number, number]): LonLat {
  return { lon, lat };
}

function circleGround(circle: Circle): Ground {
  return {
    bbox: areaBbox(circle),
    depthM: circle.radiusM,
    contains: (lon, lat) => areaContains(circle, lon, lat),
    edgeM: (place) => Math.abs(distanceM(circle.centre, place) - circle.radiusM),
    lineTouches: (from, to) => lineTouchesArea(circle, from, to),
  };
}
