import { distanceM, type LonLat } from './great-circle.ts';
import { nearestCopy, shorterWayDeg, turnTo } from './longitude.ts';

/** Edges are straight in longitude and latitude. A ring is its corners in order, without a closing one; longitudes run on past ±180. */

const RAD = Math.PI / 180;
/** Places closer than this to an edge are on it: about 0.1 mm, far below the precision of a link. */
const ON_EDGE_DEG = 1e-9;

/** The corners with longitudes that run on past ±180 instead of jumping. They may be given in any turn. */
export function unwrapped(corners: readonly LonLat[]): LonLat[] {
  let lon = corners[0]?.lon ?? 0;
  return corners.map((corner) => {
    const turn = turnTo(corner.lon, lon);
    // Adding a turn costs digits; a longitude that is written and read again must be the same.
    lon = turn === 0 ? corner.lon : Number((corner.lon + turn).toFixed(9));
    return { lon, lat: corner.lat };
  });
}

/** Where a place is in a ring less than 180° wide. Allocates nothing: it is called for every track of every picture. */
export function sideOfRing(corners: readonly LonLat[], lonDeg: number, lat: number): 'inside' | 'edge' | 'outside' {
  const [first] = corners;
  if (!first) return 'outside';
  // In the turn of the ring: relative to its first corner no place of it is 180° away or more.
  const lon = nearestCopy(lonDeg, first.lon);
  let isInside = false;
  for (let index = 0; index < corners.length; index++) {
    const from = corners[index] as LonLat;
    const to = corners[index + 1 === corners.length ? 0 : index + 1] as LonLat;
    // Most edges are north or south of the place.
    if (lat < Math.min(from.lat, to.lat) - ON_EDGE_DEG || lat > Math.max(from.lat, to.lat) + ON_EDGE_DEG) continue;
    if (isOnEdge(from, to, lon, lat)) return 'edge';
    if (from.lat > lat === to.lat > lat) continue;
    const crossesAt = from.lon + ((lat - from.lat) / (to.lat - from.lat)) * (to.lon - from.lon);
    if (lon < crossesAt) isInside = !isInside;
  }
  return isInside ? 'inside' : 'outside';
}

function isOnEdge(from: LonLat, to: LonLat, lon: number, lat: number): boolean {
  const isBeside =
    lat < Math.min(from.lat, to.lat) - ON_EDGE_DEG ||
    lat > Math.max(from.lat, to.lat) + ON_EDGE_DEG ||
    lon < Math.min(from.lon, to.lon) - ON_EDGE_DEG ||
    lon > Math.max(from.lon, to.lon) + ON_EDGE_DEG;
  if (isBeside) return false;
  const across = (to.lon - from.lon) * (lat - from.lat) - (to.lat - from.lat) * (lon - from.lon);
  return Math.abs(across) <= ON_EDGE_DEG * Math.hypot(to.lon - from.lon, to.lat - from.lat);
}

/** Whether two edges of the ring touch that are not neighbours, or neighbours lie on each other. */
export function crossesItself(corners: readonly LonLat[]): boolean {
  const at = (index: number) => corners[index % corners.length] as LonLat;
  for (let one = 0; one < corners.length; one++) {
    // A neighbour that folds back onto this edge.
    if (at(one).lon === at(one + 1).lon && at(one).lat === at(one + 1).lat) return true;
    if (isOnEdge(at(one), at(one + 1), at(one + 2).lon, at(one + 2).lat)) return true;
    if (isOnEdge(at(one + 1), at(one + 2), at(one).lon, at(one).lat)) return true;
    for (let other = one + 2; other < corners.length; other++) {
      if ((other + 1) % corners.length === one || areApart(at(one), at(one + 1), at(other), at(other + 1))) continue;
      if (edgesTouch(at(one), at(one + 1), at(other), at(other + 1))) return true;
    }
  }
  return false;
}

/** Compares boxes, which rules out most pairs of a ring. */
function areApart(a: LonLat, b: LonLat, c: LonLat, d: LonLat): boolean {
  return (
    Math.max(a.lat, b.lat) < Math.min(c.lat, d.lat) - ON_EDGE_DEG ||
    Math.max(c.lat, d.lat) < Math.min(a.lat, b.lat) - ON_EDGE_DEG ||
    Math.max(a.lon, b.lon) < Math.min(c.lon, d.lon) - ON_EDGE_DEG ||
    Math.max(c.lon, d.lon) < Math.min(a.lon, b.lon) - ON_EDGE_DEG
  );
}

export function edgesTouch(a: LonLat, b: LonLat, c: LonLat, d: LonLat): boolean {
  if (side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b)) return true;
  return (
    isOnEdge(a, b, c.lon, c.lat) ||
    isOnEdge(a, b, d.lon, d.lat) ||
    isOnEdge(c, d, a.lon, a.lat) ||
    isOnEdge(c, d, b.lon, b.lat)
  );
}

/** Whether each edge has the ends of the other on its two sides, none of them on it. */
export function edgesCross(a: LonLat, b: LonLat, c: LonLat, d: LonLat): boolean {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

function side(from: LonLat, to: LonLat, { lon, lat }: LonLat): number {
  return Math.sign((to.lon - from.lon) * (lat - from.lat) - (to.lat - from.lat) * (lon - from.lon));
}

/** Metres to the nearest place of an edge, on a plane that touches the Earth at the place. Accurate to 1 % within 100 km. */
export function distanceToEdgeM(from: LonLat, to: LonLat, place: LonLat): number {
  return distanceM(place, nearestOnEdge(from, to, place));
}

/** The place of an edge that is nearest, as `distanceToEdgeM` finds it. */
export function nearestOnEdge(from: LonLat, to: LonLat, place: LonLat): LonLat {
  const shrink = Math.cos(place.lat * RAD);
  const x = shorterWayDeg(from.lon, place.lon) * shrink;
  const y = place.lat - from.lat;
  const toX = (to.lon - from.lon) * shrink;
  const toY = to.lat - from.lat;
  const lengthSquare = toX ** 2 + toY ** 2;
  const part = lengthSquare === 0 ? 0 : Math.max(0, Math.min(1, (x * toX + y * toY) / lengthSquare));
  return { lon: from.lon + part * (to.lon - from.lon), lat: from.lat + part * toY };
}
