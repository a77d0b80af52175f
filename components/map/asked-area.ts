import type { Bbox } from '#lib/geo/bbox.ts';
import { growByPart } from '#lib/geo/grow-by-part.ts';

/** Asked beyond the edges of the view, so that marks do not appear and end exactly at its border. */
const MARGIN_PART = 0.1;

/**
 * What is asked for so that the view is covered: as far north as south of the map's middle, since what is wider than the
 * service takes is cut around the middle of what was asked, and Mercator's middle is not that of its latitudes.
 */
export function askedArea(visible: Bbox, middleLatDeg: number): Bbox {
  const { south, north } = growByPart(visible, MARGIN_PART);
  const reachDeg = Math.max(north - middleLatDeg, middleLatDeg - south);
  return {
    ...growByPart(visible, MARGIN_PART),
    south: Math.max(-90, middleLatDeg - reachDeg),
    north: Math.min(90, middleLatDeg + reachDeg),
  };
}
