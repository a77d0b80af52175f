import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { growByPart } from '#lib/geo/grow-by-part.ts';

/** Asked beyond the edges of the view, so that marks do not appear and end exactly at its border. */
const MARGIN_PART = 0.1;

/**
 * What is asked for so that the view is covered, with as much margin as leaves it small enough to be watched as a whole. A view
 * that is larger than that is asked for as it is: the server cuts it around the middle of the screen, which is sent along.
 */
export function askedArea(visible: Bbox): Bbox {
  return growByPart(visible, MARGIN_PART, LIVE_MAX_SPAN_DEG);
}
