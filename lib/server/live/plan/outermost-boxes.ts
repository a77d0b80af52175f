import 'server-only';
import { type Bbox, bboxCovers, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';

/** The boxes that lie in no other one, each once, the largest first. None crosses 180°. */
export function outermostBoxes(boxes: readonly Bbox[]): readonly Bbox[] {
  const outermost: Bbox[] = [];
  for (const box of boxes.toSorted((a, b) => areaDeg2(b) - areaDeg2(a))) {
    if (!outermost.some((larger) => bboxCovers(larger, box))) outermost.push(box);
  }
  return outermost;
}

function areaDeg2(bbox: Bbox): number {
  return lonSpanDeg(bbox) * latSpanDeg(bbox);
}
