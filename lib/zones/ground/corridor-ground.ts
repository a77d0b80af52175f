import { areaBbox } from '#lib/geo/area.ts';
import { bboxContains, lonSpanDeg } from '#lib/geo/bbox.ts';
import { distanceToEdgeM, edgesTouch, unwrapped } from '#lib/geo/edges.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { Ground } from './ground.ts';

export function corridorGround(line: readonly LonLat[], halfWidthM: number): Ground {
  const corners = unwrapped(line);
  const boxes = corners.map((centre) => areaBbox({ kind: 'circle', centre, radiusM: halfWidthM }));
  // The circle nearest to a pole is the widest.
  const wideDeg = Math.max(...boxes.map(lonSpanDeg)) / 2;
  const lons = corners.map(({ lon }) => lon);
  const east = wrapLongitude(Math.max(...lons) + wideDeg);
  const bbox = {
    west: wrapLongitude(Math.min(...lons) - wideDeg),
    south: Math.min(...boxes.map(({ south }) => south)),
    east: east === -180 ? 180 : east,
    north: Math.max(...boxes.map(({ north }) => north)),
  };
  const middle = (Math.min(...lons) + Math.max(...lons)) / 2;
  const edges = corners.slice(1).map((to, index) => ({ from: corners[index] as LonLat, to }));
  const distanceToLineM = (place: LonLat) => {
    let nearestM = Number.POSITIVE_INFINITY;
    for (const { from, to } of edges) nearestM = Math.min(nearestM, distanceToEdgeM(from, to, place));
    return nearestM;
  };
  const contains = (lon: number, lat: number) => {
    if (!bboxContains(bbox, lon, lat)) return false;
    const place = { lon, lat };
    return edges.some(({ from, to }) => distanceToEdgeM(from, to, place) <= halfWidthM);
  };
  return {
    bbox,
    depthM: halfWidthM,
    contains,
    edgeM: (place) => Math.abs(distanceToLineM(place) - halfWidthM),
    lineTouches(from, to) {
      if (contains(from.lon, from.lat) || contains(to.lon, to.lat)) return true;
      const start = { lon: middle + wrapLongitude(from.lon - middle), lat: from.lat };
      const end = { lon: start.lon + wrapLongitude(to.lon - start.lon), lat: to.lat };
      // The nearest place is an end of one of them.
      return (
        edges.some((side) => edgesTouch(side.from, side.to, start, end)) ||
        corners.some((corner) => distanceToEdgeM(start, end, corner) <= halfWidthM)
      );
    },
  };
}
