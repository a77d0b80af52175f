import type { Bbox } from './bbox.ts';

/** Up to four boxes that share no area. Neither input may cross 180°. */
export function subtractBbox(box: Bbox, cut: Bbox): readonly Bbox[] {
  const { west, south, east, north } = box;
  if (cut.west >= east || cut.east <= west || cut.south >= north || cut.north <= south) return [box];
  const bottom = Math.max(south, cut.south);
  const top = Math.min(north, cut.north);
  const left: Bbox[] = [];
  if (bottom > south) left.push({ west, south, east, north: bottom });
  if (top < north) left.push({ west, south: top, east, north });
  if (cut.west > west) left.push({ west, south: bottom, east: cut.west, north: top });
  if (cut.east < east) left.push({ west: cut.east, south: bottom, east, north: top });
  return left;
}

/** Neither may cross 180°. `undefined` if they share no area. */
export function intersectBbox(a: Bbox, b: Bbox): Bbox | undefined {
  const west = Math.max(a.west, b.west);
  const east = Math.min(a.east, b.east);
  const south = Math.max(a.south, b.south);
  const north = Math.min(a.north, b.north);
  return west < east && south < north ? { west, south, east, north } : undefined;
}
