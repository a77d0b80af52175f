import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import { type Expected, requestCost } from './request-cost.ts';

/** The narrowest that a side is asked: the grid's finest step. A box without width or height is not askable. */
const LEAST_SPAN_DEG = 2 ** -6;
/** From the coarsest step of the grid, for a side of the limit, to the finest. */
const HALVINGS_MOST = 8;

/** A viewport that has an area: a side without length gets the least one, towards the inside of the world. */
export function withArea(viewport: Bbox): Bbox {
  const { west, south, east, north } = viewport;
  const wide = lonSpanDeg(viewport) > 0;
  const high = latSpanDeg(viewport) > 0;
  if (wide && high) return viewport;
  return {
    west: wide || west < 180 ? west : 180 - LEAST_SPAN_DEG,
    east: wide || west === 180 ? east : Math.min(180, east + LEAST_SPAN_DEG),
    south: high || south < 90 ? south : 90 - LEAST_SPAN_DEG,
    north: high || south === 90 ? north : Math.min(90, north + LEAST_SPAN_DEG),
  };
}

/**
 * The area that is asked for one viewport alone: grown to the grid as far as that costs no more requests, on a finer grid
 * where the place is dense, not at all where even that would cost more.
 */
export function viewportArea(viewport: Bbox, expected: Expected): Bbox {
  const cost = requestCost(expected(viewport));
  for (let halvings = 0; halvings <= HALVINGS_MOST; halvings++) {
    const grown = growToGrid(viewport, LIVE_MAX_SPAN_DEG, halvings);
    if (requestCost(expected(grown)) <= cost) return grown;
  }
  return viewport;
}
