import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';

/** Neither box crosses 180°; touching does not count. Built for millions of calls. */
export function boxesShareArea(a: Bbox, b: Bbox): boolean {
  return a.west < b.east && b.west < a.east && a.south < b.north && b.south < a.north;
}
