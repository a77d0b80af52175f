import { areaBbox, areaContains, type Circle, corridorOf, lineTouchesArea, polygonOf } from '#lib/geo/area.ts';
import { type Bbox, bboxContains, lonSpanDeg } from '#lib/geo/bbox.ts';
import { distanceToEdgeM, edgesTouch } from '#lib/geo/edges.ts';
import { distanceM, EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { nearestCopy, turnTo } from '#lib/geo/longitude.ts';
import type { ZoneShape } from './zone.ts';

/** The ground under a shape, prepared for many questions. The edge belongs to the shape. */
export interface Ground {
  readonly bbox: Bbox;
  /** Some place inside is at least so far from the edge. */
  readonly depthM: number;
  contains(lon: number, lat: number): boolean;
  /** Metres to the edge, from either side. */
  edgeM(place: LonLat): number;
  /** A line is straight in longitude and latitude, by the shorter way. */
  lineTouches(from: LonLat, to: LonLat): boolean;
}

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

/** @param rings without closing corners: the edge, then holes */
function polygonGround(rings: readonly (readonly LonLat[])[]): Ground {
  const polygon = polygonOf(rings[0] ?? [], rings.slice(1));
  const { corners: edge, holes = [] } = polygon;
  const bbox = areaBbox(polygon);
  const middle = bbox.west + lonSpanDeg(bbox) / 2;
  const contains = (lon: number, lat: number) => bboxContains(bbox, lon, lat) && areaContains(polygon, lon, lat);
  // All rings in the turn of the box. 1000 zones of 500 corners are kept: no object for each edge.
  const turned = [edge, ...holes].map((ring) => {
    const turn = turnTo(ring[0]?.lon ?? middle, middle);
    return turn === 0 ? ring : ring.map(({ lon, lat }) => ({ lon: lon + turn, lat }));
  });
  const someEdge = (is: (from: LonLat, to: LonLat) => boolean) =>
    turned.some((ring) => ring.some((from, index) => is(from, ring[(index + 1) % ring.length] as LonLat)));
  return {
    bbox,
    depthM: depthM(edge, holes),
    contains,
    edgeM(place) {
      let nearestM = Number.POSITIVE_INFINITY;
      for (const ring of turned)
        for (let index = 0; index < ring.length; index++) {
          const to = ring[index + 1 === ring.length ? 0 : index + 1] as LonLat;
          nearestM = Math.min(nearestM, distanceToEdgeM(ring[index] as LonLat, to, place));
        }
      return nearestM;
    },
    lineTouches(from, to) {
      if (contains(from.lon, from.lat) || contains(to.lon, to.lat)) return true;
      const start = { lon: nearestCopy(from.lon, middle), lat: from.lat };
      const end = { lon: nearestCopy(to.lon, start.lon), lat: to.lat };
      return someEdge((one, next) => edgesTouch(one, next, start, end));
    },
  };
}

/** Area over perimeter: a strip along the edge that is as wide as the deepest place covers the area. */
function depthM(edge: readonly LonLat[], holes: readonly (readonly LonLat[])[]): number {
  const [whole, ...cut] = [edge, ...holes].map(measured);
  if (!whole) return 0;
  const areaM2 = cut.reduce((left, hole) => left - hole.areaM2, whole.areaM2);
  const aroundM = cut.reduce((all, hole) => all + hole.aroundM, whole.aroundM);
  return Math.max(0, areaM2) / aroundM;
}

function measured(ring: readonly LonLat[]) {
  const widestLat = Math.max(...ring.map(({ lat }) => Math.abs(lat)));
  const latM = (Math.PI / 180) * EARTH_RADIUS_M;
  const lonM = latM * Math.cos((widestLat * Math.PI) / 180);
  let [twiceM2, aroundM] = [0, 0];
  for (const [index, from] of ring.entries()) {
    const to = ring[(index + 1) % ring.length] as LonLat;
    twiceM2 += (from.lon * to.lat - to.lon * from.lat) * lonM * latM;
    aroundM += Math.hypot((to.lon - from.lon) * lonM, (to.lat - from.lat) * latM);
  }
  return { areaM2: Math.abs(twiceM2) / 2, aroundM };
}

function corridorGround(line: readonly LonLat[], halfWidthM: number): Ground {
  const corridor = corridorOf(line, halfWidthM);
  const bbox = areaBbox(corridor);
  const edges = corridor.line.slice(1).map((to, index) => ({ from: corridor.line[index] as LonLat, to }));
  return {
    bbox,
    depthM: halfWidthM,
    contains: (lon, lat) => bboxContains(bbox, lon, lat) && areaContains(corridor, lon, lat),
    edgeM(place) {
      const toLineM = Math.min(...edges.map(({ from, to }) => distanceToEdgeM(from, to, place)));
      return Math.abs(toLineM - halfWidthM);
    },
    lineTouches: (from, to) => lineTouchesArea(corridor, from, to),
  };
}
