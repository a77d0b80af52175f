import 'server-only';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';

/** In square degrees: a measure to share out counts by, and not of ground. */
export function bboxAreaDeg2(bbox: Bbox): number {
  return lonSpanDeg(bbox) * latSpanDeg(bbox);
}
