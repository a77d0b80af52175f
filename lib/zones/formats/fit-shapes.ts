import { joinLines, joinPolygons } from '#lib/geo/cut-at-antimeridian.ts';
import { shorterWayDeg } from '#lib/geo/longitude.ts';
import { shapeProblem } from '../shape-problem.ts';
import type { ZoneShape } from '../zone.ts';
import { ZONE_CORNERS_MAX } from '../zone-limits.ts';
import type { ImportReport, ReadZone } from './import-report.ts';
import type { LonLatPair } from './read-values.ts';

/** Shapes of files made fit for a zone: corners beyond the limit are removed, and parts that were cut at 180° joined. */

/** Above this many corners, removing some can take seconds. */
export const SIMPLIFIED_MAX = 20_000;

const METRES_PER_DEG = 111_320;

/** Counts corners without the repeated last one of rings. */
export function cornerCount(shape: ZoneShape): number {
  if (shape.type === 'Circle') return 1;
  if (shape.type === 'Corridor') return shape.line.length;
  return shape.coordinates.reduce((count, ring) => count + ring.length - 1, 0);
}

/**
 * Douglas–Peucker. Each hole keeps three corners.
 * @returns the shape, and the most metres that its edge moves
 */
export function simplified<Shape extends ZoneShape>(
  shape: Shape,
  corners: number,
): { readonly shape: Shape; readonly movedM: number } {
  const isRing = shape.type === 'Polygon';
  const lines: readonly LonLatPair[][] =
    shape.type === 'Polygon' ? shape.coordinates : shape.type === 'Corridor' ? [shape.line] : [];
  const weights = lines.map((line) => cornerWeights(line, isRing));
  // The last position of a ring repeats the first.
  const counted = weights.flatMap((each) => (isRing ? each.slice(0, -1) : each)).sort((a, b) => b - a);
  const limitM = counted[corners] ?? 0;
  const kept = lines.map((line, index) =>
    line.filter((_, at) => {
      const weight = weights[index]?.[at] as number;
      return weight > limitM || weight === Number.POSITIVE_INFINITY;
    }),
  );
  const changed = shape.type === 'Polygon' ? { ...shape, coordinates: kept } : { ...shape, line: kept[0] };
  return { shape: changed as Shape, movedM: Number.isFinite(limitM) ? limitM : 0 };
}

/** For each corner the tolerance in metres up to which it stays. */
function cornerWeights(line: readonly LonLatPair[], isRing: boolean): number[] {
  const plane = onPlane(line);
  const weights = plane.map((_, index) => (index === 0 || index === plane.length - 1 ? Number.POSITIVE_INFINITY : 0));
  const open: { from: number; to: number; mostM: number }[] = [
    { from: 0, to: plane.length - 1, mostM: Number.POSITIVE_INFINITY },
  ];
  for (let part = open.pop(); part; part = open.pop()) {
    const { from, to, mostM } = part;
    let [at, farthestM] = [-1, -1];
    for (let index = from + 1; index < to; index += 1) {
      const distanceM = toSegment(plane[index] as LonLatPair, plane[from] as LonLatPair, plane[to] as LonLatPair);
      if (distanceM > farthestM) [at, farthestM] = [index, distanceM];
    }
    if (at < 0) continue;
    // The tolerance holds for the whole line only if no corner outlives the one that splits its part.
    const weight = Math.min(farthestM, mostM);
    weights[at] = weight;
    open.push({ from, to: at, mostM: weight }, { from: at, to, mostM: weight });
  }
  if (isRing)
    for (const index of [...weights.keys()].sort((a, b) => (weights[b] as number) - (weights[a] as number)).slice(0, 4))
      weights[index] = Number.POSITIVE_INFINITY;
  return weights;
}

/** @returns metres from the first position */
function onPlane(line: readonly LonLatPair[]): LonLatPair[] {
  const [lon0, lat0] = line[0] ?? [0, 0];
  const narrowing = Math.cos((lat0 * Math.PI) / 180);
  return line.map(([lon, lat]) => [
    shorterWayDeg(lon0, lon) * METRES_PER_DEG * narrowing,
    (lat - lat0) * METRES_PER_DEG,
  ]);
}

function toSegment([x, y]: LonLatPair, [fromX, fromY]: LonLatPair, [toX, toY]: LonLatPair): number {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const length2 = dx * dx + dy * dy;
  const part = length2 === 0 ? 0 : Math.max(0, Math.min(1, ((x - fromX) * dx + (y - fromY) * dy) / length2));
  return Math.hypot(x - fromX - part * dx, y - fromY - part * dy);
}

type Part = ReadZone & { readonly shape: ZoneShape };

/**
 * Joins parts of one feature that were cut at 180° and differ in nothing else, as RFC 7946 (3.1.9) asks writers to cut.
 * Others, and parts that together are no zone, stay.
 */
export function joinedParts(zones: readonly ReadZone[], place: string, report: ImportReport): readonly ReadZone[] {
  const touching = zones.filter(touches180);
  if (touching.length < 2) return zones;
  const joined = new Map<ReadZone, readonly ReadZone[]>();
  for (const alike of byContent(touching)) {
    for (const { shape, from } of joinedShapes(alike.map((part) => part.shape))) {
      const parts = from.map((index) => alike[index] as Part);
      const [first, ...others] = parts;
      if (!first || others.length === 0) continue;
      const isChecked = cornerCount(shape) <= ZONE_CORNERS_MAX;
      if (isChecked && shapeProblem(shape) !== undefined) continue;
      joined.set(first, [{ ...first, shape }]);
      for (const other of others) joined.set(other, []);
      report.change(place, `its ${parts.length} parts, cut at the longitude 180, are joined to one zone`);
    }
  }
  return zones.flatMap((zone) => joined.get(zone) ?? [zone]);
}

function touches180(zone: ReadZone): zone is Part {
  const { shape } = zone;
  if (!shape || shape.type === 'Circle' || cornerCount(shape) > SIMPLIFIED_MAX) return false;
  const line = shape.type === 'Polygon' ? (shape.coordinates[0] ?? []) : shape.line;
  return line.some(([lon]) => Math.abs(lon) > 179.999);
}

function byContent(parts: readonly Part[]): Iterable<readonly Part[]> {
  const groups = new Map<string, Part[]>();
  for (const part of parts) {
    const { shape, vertical, hours, words } = part;
    const width = shape.type === 'Corridor' ? shape.half_width_m : null;
    const key = JSON.stringify([shape.type, width, vertical, hours, words]);
    const known = groups.get(key);
    if (known) known.push(part);
    else groups.set(key, [part]);
  }
  return groups.values();
}

/** @param shapes all polygons, or all corridors of one width */
function joinedShapes(shapes: readonly ZoneShape[]): { shape: ZoneShape; from: readonly number[] }[] {
  const polygons = shapes.flatMap((shape) => (shape.type === 'Polygon' ? [shape.coordinates] : []));
  const corridors = shapes.flatMap((shape) => (shape.type === 'Corridor' ? [shape] : []));
  const [corridor] = corridors;
  if (corridor)
    return joinLines(corridors.map(({ line }) => line)).map(({ shape, from }) => ({
      shape: { ...corridor, line: shape },
      from,
    }));
  return joinPolygons(polygons).map(({ shape, from }) => ({ shape: { type: 'Polygon', coordinates: shape }, from }));
}
