import type { Bbox } from './bbox.ts';

/** Edges included; -180 and 180 are the same meridian. Neither box crosses it. */
export function bboxesTouch(one: Bbox, other: Bbox): boolean {
  if (one.south > other.north || other.south > one.north) return false;
  if (one.west <= other.east && other.west <= one.east) return true;
  return (one.west === -180 && other.east === 180) || (one.east === 180 && other.west === -180);
}
