import { type Bbox, lonSpanDeg } from './bbox.ts';
import { splitAtAntimeridian } from './split-at-antimeridian.ts';

/** Boxes that only touch do not overlap. */
export function bboxesOverlap(one: Bbox, other: Bbox): boolean {
  if (lonSpanDeg(one) === 0 || lonSpanDeg(other) === 0) return false;
  return splitAtAntimeridian(one).some((part) => splitAtAntimeridian(other).some((against) => overlap(part, against)));
}

function overlap(one: Bbox, other: Bbox): boolean {
  return one.west < other.east && other.west < one.east && one.south < other.north && other.south < one.north;
}
