import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { ZoneShape } from '../../zone.ts';
import type { Position } from './coordinates.ts';

/** More can take seconds. */
export const SIMPLIFIED_MAX = 20_000;

const METRES_PER_DEG = 111_320;

/** Without the repeated last corner of rings. */
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
  const lines: readonly Position[][] =
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

/** In metres, the tolerance below which each stays. */
function cornerWeights(line: readonly Position[], isRing: boolean): number[] {
  const plane = onPlane(line);
  const weights = plane.map((_, index) => (index === 0 || index === plane.length - 1 ? Number.POSITIVE_INFINITY : 0));
  const open: { from: number; to: number; mostM: number }[] = [
    { from: 0, to: plane.length - 1, mostM: Number.POSITIVE_INFINITY },
  ];
  for (let part = open.pop(); part; part = open.pop()) {
    const { from, to, mostM } = part;
    let [at, farthestM] = [-1, -1];
    for (let index = from + 1; index < to; index += 1) {
      const distanceM = toSegment(plane[index] as Position, plane[from] as Position, plane[to] as Position);
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

/** In metres. */
function onPlane(line: readonly Position[]): Position[] {
  const [lon0, lat0] = line[0] ?? [0, 0];
  const narrowing = Math.cos((lat0 * Math.PI) / 180);
  return line.map(([lon, lat]) => [
    wrapLongitude(lon - lon0) * METRES_PER_DEG * narrowing,
    (lat - lat0) * METRES_PER_DEG,
  ]);
}

function toSegment([x, y]: Position, [fromX, fromY]: Position, [toX, toY]: Position): number {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const length2 = dx * dx + dy * dy;
  const part = length2 === 0 ? 0 : Math.max(0, Math.min(1, ((x - fromX) * dx + (y - fromY) * dy) / length2));
  return Math.hypot(x - fromX - part * dx, y - fromY - part * dy);
}
