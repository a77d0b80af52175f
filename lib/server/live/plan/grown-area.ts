import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import { type Expected, requestCost } from './request-cost.ts';

/** Halvings of the grid's coarsest step, 4° for a side of the live limit, that lead to its finest, 1/64°. */
const HALVINGS_MOST = 8;

/**
 * The area grown to the grid as far as that costs no more requests, so that a viewer who pans a little stays in it: on a
 * finer grid where the place is dense, and not at all where even that would cost more.
 */
export function grownArea(area: Bbox, expected: Expected): Bbox {
  const cost = requestCost(expected(area));
  for (let halvings = 0; halvings <= HALVINGS_MOST; halvings++) {
    const grown = growToGrid(area, LIVE_MAX_SPAN_DEG, halvings);
    if (requestCost(expected(grown)) <= cost) return grown;
  }
  return area;
}
