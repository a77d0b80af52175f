import { sideOfRing } from './edges.ts';
import { SAME_PLACE_DEG, wrapLongitude } from './longitude.ts';

/**
 * Cuts polygons and lines at 180°, as RFC 7946 (3.1.9) asks, and joins the parts of such cuts. Positions are WGS 84
 * [longitude, latitude] from -180 to 180; edges are straight in them, by the shorter way around the Earth.
 * Rings are closed: the edge first, then holes.
 */
type Position = [lon: number, lat: number];
type Line = readonly (readonly [number, number])[];

/** Seven decimals are about a centimetre. */
const DECIMALS = 1e7;

/** @returns one polygon, or one for each side */
export function cutPolygon(rings: readonly Line[]): Position[][][] {
  const [edge = [], ...holes] = rings.map(runningOn);
  const [west, east] = extent(edge);
  if (west >= -180 && east <= 180) return [[edge, ...holes]];
  const shift = west < -180 ? 360 : 0;
  const moved = [edge, ...holes.map((hole) => alignedTo(hole, west, east))].map((ring) => moveBy(ring, shift));
  return [true, false].flatMap((isWest) => {
    const parts = moved.map((ring) => half(ring, isWest)).filter((ring) => ring.length >= 4);
    return parts.length > 0 ? [isWest ? parts : parts.map((ring) => moveBy(ring, -360))] : [];
  });
}

export function cutLine(line: Line): Position[][] {
  const parts: Position[][] = [[]];
  const positions = runningOn(line);
  for (const [index, corner] of positions.entries()) {
    const before = positions[index - 1];
    for (const edge of before ? edgesBetween(before, corner) : []) {
      const cut: Position = [edge, latAt(before as Position, corner, edge)];
      parts.at(-1)?.push(cut);
      parts.push([cut]);
    }
    parts.at(-1)?.push(corner);
  }
  return parts.filter((part) => part.length > 1).map((part) => moveBy(part, -360 * turnsOf(part)));
}

/** More edges along 180° than a cut leaves: joining them could take seconds. */
const MERIDIAN_EDGES_MAX = 2000;

export interface Joined<Shape> {
  readonly shape: Shape;
  /** Indices of the parts that it was made of. */
  readonly from: readonly number[];
}

/** Joins polygons that share edges along 180° from its two sides; others stay as they are. */
export function joinPolygons(polygons: readonly (readonly Line[])[]): Joined<Position[][]>[] {
  const turned = polygons.map(turnedEast);
  const along = turned.map((rings) => rings.flatMap(edgesOf).filter(isAlong180));
  const untouched = (index: number) => ({ shape: (polygons[index] ?? []).map(copied), from: [index] });
  if (along.flat().length > MERIDIAN_EDGES_MAX) return polygons.map((_, index) => untouched(index));
  const meridian = meridianOf(along);
  return groupsOf(meridian, polygons.length).flatMap((group) => {
    const outline = group.length > 1 ? outlineOf(group, turned, meridian) : undefined;
    return outline ? [{ shape: outline, from: group }] : group.map(untouched);
  });
}

/** Joins lines of which one ends at 180° where the next begins at -180°, or the reverse. */
export function joinLines(lines: readonly Line[]): Joined<Position[]>[] {
  const joined: { shape: Position[]; from: number[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const next = copied(line);
    const before = joined.find(({ shape }) => isCutBetween(shape.at(-1), next[0]));
    if (before) {
      before.shape = joinedAt(before.shape, next);
      before.from.push(index);
    } else joined.push({ shape: next, from: [index] });
  }
  return joined;
}

function isCutBetween(end: Position | undefined, start: Position | undefined): boolean {
  if (!end || !start || Math.abs(end[0] - start[0]) < 180) return false;
  const isOn180 = [end, start].every(([lon]) => 180 - Math.abs(lon) <= SAME_PLACE_DEG);
  return isOn180 && Math.abs(end[1] - start[1]) <= SAME_PLACE_DEG;
}

function joinedAt(line: readonly Position[], next: readonly Position[]): Position[] {
  const [a, b, c] = runningOn([line.at(-2), line.at(-1), next[1]] as Position[]) as [Position, Position, Position];
  return [...(isStraight(a, b, c) ? line.slice(0, -1) : line), ...next.slice(1)];
}

type Edge = readonly [from: Position, to: Position];

/** The meridian 180° as segments between all corners on it. */
interface Meridian {
  readonly lats: readonly number[];
  /** Per segment, the polygons with an edge along it, by the edge's direction. */
  readonly segments: readonly { readonly north: number[]; readonly south: number[] }[];
}

function meridianOf(along: readonly (readonly Edge[])[]): Meridian {
  const all = along.flat(2).map(([, lat]) => lat);
  all.sort((a, b) => a - b);
  // Both sides of a cut may be rounded differently.
  const lats = all.filter((lat, index) => index === 0 || lat - (all[index - 1] as number) > SAME_PLACE_DEG);
  const segments = lats.slice(1).map(() => ({ north: [] as number[], south: [] as number[] }));
  for (const [polygon, edges] of along.entries())
    for (const [[, from], [, to]] of edges) {
      const [low, high] = [lastUpTo(lats, Math.min(from, to)), lastUpTo(lats, Math.max(from, to))];
      for (let at = low; at < high; at += 1) segments[at]?.[from < to ? 'north' : 'south'].push(polygon);
    }
  return { lats, segments };
}

/** Polygons that share a segment from its two sides, in the order of the first of each. */
function groupsOf({ segments }: Meridian, count: number): number[][] {
  const parent = Array.from({ length: count }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parent[root] !== root) root = parent[root] as number;
    parent[index] = root;
    return root;
  };
  for (const { north, south } of segments) {
    const [first] = north;
    if (first === undefined || south.length === 0) continue;
    for (const other of [...north, ...south]) {
      const [low, high] = [rootOf(first), rootOf(other)].sort((a, b) => a - b) as [number, number];
      parent[high] = low;
    }
  }
  const groups = new Map<number, number[]>();
  for (let index = 0; index < count; index += 1)
    groups.set(rootOf(index), [...(groups.get(rootOf(index)) ?? []), index]);
  return [...groups.values()];
}

/** `undefined` unless it is one area. */
function outlineOf(
  group: readonly number[],
  polygons: readonly Position[][][],
  { lats, segments }: Meridian,
): Position[][] | undefined {
  const snapped = ([lon, lat]: Position): Position => {
    const near = lon === 180 ? lats[lastUpTo(lats, lat)] : undefined;
    return near !== undefined && Math.abs(near - lat) <= SAME_PLACE_DEG ? [lon, near] : [lon, lat];
  };
  const edges: Edge[] = group
    .flatMap((index) => (polygons[index] ?? []).flatMap(edgesOf))
    .filter((edge) => !isAlong180(edge))
    .map(([from, to]) => [snapped(from), snapped(to)]);
  // Edges in both directions lie within the area.
  const countOf = (indices: readonly number[]) => indices.filter((index) => group.includes(index)).length;
  for (const [at, { north, south }] of segments.entries()) {
    const net = countOf(north) - countOf(south);
    const ends: Edge = [
      [180, lats[at] as number],
      [180, lats[at + 1] as number],
    ];
    for (let count = 0; count < Math.abs(net); count += 1) edges.push(net > 0 ? ends : [ends[1], ends[0]]);
  }
  const loops = loopsOf(edges) ?? [];
  const outer = loops.filter((loop) => doubleArea(loop) > 0);
  const [edge] = outer;
  const holes = loops.filter((loop) => doubleArea(loop) < 0);
  if (!edge || outer.length > 1 || !holes.every((hole) => isWithin(hole, edge))) return undefined;
  return [edge, ...holes].map(turnedBack);
}

/** Closed rings that use each edge once; `undefined` if they leave one over. Areas that meet at a corner are apart. */
function loopsOf(edges: readonly Edge[]): Position[][] | undefined {
  const leaving = new Map<string, Position[]>();
  for (const [from, to] of edges) {
    const known = leaving.get(String(from));
    if (known) known.push(to);
    else leaving.set(String(from), [to]);
  }
  const loops: Position[][] = [];
  for (const [start] of edges) {
    const loop = [start];
    for (let before: Position | undefined; ; ) {
      const here = loop.at(-1) as Position;
      const next = leaving.get(String(here)) ?? [];
      const to = leftmost(before, here, next);
      if (!to) break;
      next.splice(next.indexOf(to), 1);
      loop.push(to);
      before = here;
      if (String(to) === String(start)) break;
    }
    if (loop.length === 1) continue;
    if (String(loop[0]) !== String(loop.at(-1))) return undefined;
    loops.push(loop);
  }
  return loops;
}

function leftmost(before: Position | undefined, here: Position, next: readonly Position[]): Position | undefined {
  if (!before || next.length < 2) return next[0];
  const course = (to: Position) => Math.atan2(to[1] - here[1], to[0] - here[0]);
  const back = course(before);
  // Counter-clockwise from the way back, the last is the first to the left.
  const turnOf = (to: Position) => (((course(to) - back) % TURN) + TURN) % TURN;
  return next.reduce((best, to) => (turnOf(to) < turnOf(best) ? best : to));
}

const TURN = 2 * Math.PI;

/** Into 0 to 360, corners near 180° onto it; edges counter-clockwise, holes clockwise. */
function turnedEast(rings: readonly Line[]): Position[][] {
  const [edge = [], ...holes] = rings.map(runningOn);
  const [west, east] = extent(edge);
  const shift = -360 * Math.floor((west + east) / 2 / 360);
  return [edge, ...holes.map((hole) => alignedTo(hole, west, east))].map((ring, index) => {
    const moved = moveBy(ring, shift).map(
      ([lon, lat]): Position => [Math.abs(lon - 180) <= SAME_PLACE_DEG ? 180 : lon, lat],
    );
    return doubleArea(moved) > 0 === (index === 0) ? moved : moved.reverse();
  });
}

/** Leaves out corners that only the cut needed. */
function turnedBack(loop: readonly Position[]): Position[] {
  const corners = loop.slice(0, -1);
  const kept = corners.filter((corner, index) => {
    const [before, after] = [corners.at(index - 1), corners[(index + 1) % corners.length]] as [Position, Position];
    return corner[0] !== 180 || !isStraight(before, corner, after);
  });
  const ring = kept.map(([lon, lat]): Position => [lon > 180 ? Number((lon - 360).toFixed(9)) : lon, lat]);
  return [...ring, ring[0] as Position];
}

function isStraight(before: Position, [lon, lat]: Position, after: Position): boolean {
  const [dx, dy] = [after[0] - before[0], after[1] - before[1]];
  return Math.abs(dx * (lat - before[1]) - dy * (lon - before[0])) <= SAME_PLACE_DEG * Math.hypot(dx, dy);
}

function isWithin(hole: readonly Position[], edge: readonly Position[]): boolean {
  const corners = edge.slice(0, -1).map(([lon, lat]) => ({ lon, lat }));
  return hole.every(([lon, lat]) => sideOfRing(corners, lon, lat) !== 'outside');
}

function isAlong180([from, to]: Edge): boolean {
  return from[0] === 180 && to[0] === 180;
}

function edgesOf(ring: readonly Position[]): Edge[] {
  return ring.slice(1).map((to, index) => [ring[index] as Position, to]);
}

/** Index of the last latitude up to this one. */
function lastUpTo(lats: readonly number[], lat: number): number {
  let [low, high] = [0, lats.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lats[middle] as number) <= lat) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** Twice the area of the ring, positive if it runs counter-clockwise. */
export function doubleArea(ring: Line): number {
  return ring.slice(1).reduce((area, [lon, lat], index) => {
    const [lonBefore, latBefore] = ring[index] as Position;
    return area + (lonBefore * lat - lon * latBefore);
  }, 0);
}

/** Longitudes continue past ±180. */
function runningOn(line: Line): Position[] {
  let before = line[0]?.[0] ?? 0;
  return line.map(([lon, lat]) => {
    // A longitude that does not jump stays exact.
    before = Math.abs(lon - before) <= 180 ? lon : before + wrapLongitude(lon - before);
    return [before, lat];
  });
}

function extent(ring: readonly Position[]): [west: number, east: number] {
  let [west, east] = [ring[0]?.[0] ?? 0, ring[0]?.[0] ?? 0];
  for (const [lon] of ring) [west, east] = [Math.min(west, lon), Math.max(east, lon)];
  return [west, east];
}

function alignedTo(hole: readonly Position[], west: number, east: number): Position[] {
  const lon = hole[0]?.[0] ?? west;
  return moveBy(hole, lon < west ? 360 : lon > east ? -360 : 0);
}

function moveBy(ring: readonly Position[], deg: number): Position[] {
  return ring.map(([lon, lat]) => [lon + deg, lat]);
}

function copied(line: Line): Position[] {
  return line.map(([lon, lat]) => [lon, lat]);
}

/** Clips a ring to one side of 180° (Sutherland–Hodgman). */
function half(ring: readonly Position[], isWest: boolean): Position[] {
  const isKept = ([lon]: Position) => (isWest ? lon <= 180 : lon >= 180);
  const kept: Position[] = [];
  for (const [index, corner] of ring.slice(0, -1).entries()) {
    const next = ring[index + 1] as Position;
    if (isKept(corner)) kept.push(corner);
    if (isKept(corner) !== isKept(next)) kept.push([180, latAt(corner, next, 180)]);
  }
  return kept.length === 0 ? [] : [...kept, kept[0] as Position];
}

function edgesBetween([from]: Position, [to]: Position): number[] {
  return [-540, -180, 180, 540].filter((edge) => (from < edge && to > edge) || (from > edge && to < edge));
}

function turnsOf(part: readonly Position[]): number {
  const [west, east] = extent(part);
  return Math.round((west + east) / 2 / 360);
}

function latAt(from: Position, to: Position, lon: number): number {
  const lat = from[1] + ((lon - from[0]) / (to[0] - from[0])) * (to[1] - from[1]);
  return Math.round(lat * DECIMALS) / DECIMALS + 0;
}
