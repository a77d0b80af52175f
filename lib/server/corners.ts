import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';

/** As answers write a box: west, south, east, north. */
export function corners(box: Bbox): [number, number, number, number] {
  return [box.west, box.south, box.east, box.north];
}
