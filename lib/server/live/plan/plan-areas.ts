import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import { dropCovered } from './drop-covered.ts';
import { isCovered } from './is-covered.ts';
import { mergeAreas } from './merge-areas.ts';
import { outermostBoxes } from './outermost-boxes.ts';
import { type Expected, requestCost } from './request-cost.ts';
import { splitByCount } from './split-by-count.ts';
import { steadyPlan } from './steady-plan.ts';

/** From 4° (for a side of the live limit) to 1/64°. */
const MAX_HALVINGS = 8;

/** A box without width or height cannot be requested. */
const MIN_SPAN_DEG = 2 ** -6;

/**
 * Costs at most as much as all viewports alone. The previous plan is kept where it costs at most one request more.
 * @param viewports do not cross 180° or exceed the contract's live limit; duplicates allowed
 * @param previous `[]` where there was none
 */
export function planAreas(viewports: readonly Bbox[], expected: Expected, previous: readonly Bbox[]): readonly Bbox[] {
  const seen = outermostBoxes(viewports.map(withArea));
  const fresh = freshPlan(seen, expected);
  if (previous.length === 0) return fresh;
  const needed = dropCovered(splitAll(previous, expected), seen, expected);
  const uncovered = seen.filter((viewport) => !isCovered(viewport, needed));
  const kept = uncovered.length === 0 ? needed : [...needed, ...freshPlan(uncovered, expected)];
  const maxCost = viewports.reduce((sum, viewport) => sum + requestCost(expected(viewport)), 0);
  return steadyPlan(seen, { kept: dropCovered(kept, seen, expected), fresh }, expected, maxCost);
}

/** Last, because fewer grown areas would fit into one hull. */
function freshPlan(seen: readonly Bbox[], expected: Expected): readonly Bbox[] {
  const areas = mergeAreas(seen, expected).map((area) => grownArea(area, expected));
  const needed = dropCovered(areas, seen, expected);
  const parts = splitAll(needed, expected);
  return parts.length === needed.length ? needed : dropCovered(parts, seen, expected);
}

function splitAll(areas: readonly Bbox[], expected: Expected): readonly Bbox[] {
  return areas.flatMap((area) => splitByCount(area, expected));
}

/** So that a viewer who pans a little stays inside; not where that costs more requests. */
function grownArea(area: Bbox, expected: Expected): Bbox {
  const cost = requestCost(expected(area));
  for (let halvings = 0; halvings <= MAX_HALVINGS; halvings++) {
    const grown = growToGrid(area, LIVE_MAX_SPAN_DEG, halvings);
    if (requestCost(expected(grown)) <= cost) return grown;
  }
  return area;
}

/** Towards the inside of the world. */
function withArea(viewport: Bbox): Bbox {
  const { west, south, east, north } = viewport;
  const wide = lonSpanDeg(viewport) > 0;
  const high = latSpanDeg(viewport) > 0;
  if (wide && high) return viewport;
  return {
    west: wide || west < 180 ? west : 180 - MIN_SPAN_DEG,
    east: wide || west === 180 ? east : Math.min(180, east + MIN_SPAN_DEG),
    south: high || south < 90 ? south : 90 - MIN_SPAN_DEG,
    north: high || south === 90 ? north : Math.min(90, north + MIN_SPAN_DEG),
  };
}
