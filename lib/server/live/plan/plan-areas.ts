import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { dropCovered } from './drop-covered.ts';
import { grownArea } from './grown-area.ts';
import { isCovered } from './is-covered.ts';
import { mergeAreas } from './merge-areas.ts';
import { outermostBoxes } from './outermost-boxes.ts';
import { type Expected, requestCost } from './request-cost.ts';
import { splitByCount } from './split-by-count.ts';
import { steadyPlan } from './steady-plan.ts';
import { withArea } from './with-area.ts';

/**
 * The areas to ask for so that every viewport is covered with few requests: at most as many as all viewports would take,
 * each asked alone. No area crosses 180° or has a side over the contract's live limit, and each is seen by some viewport.
 * What was asked for before is asked for again where that costs at most one request more in all.
 *
 * @param viewports do not cross 180° and have no side over the contract's live limit; any number, also twice the same
 * @param previous the plan before; `[]` where there was none
 */
export function planAreas(viewports: readonly Bbox[], expected: Expected, previous: readonly Bbox[]): readonly Bbox[] {
  const seen = outermostBoxes(viewports.map(withArea));
  const fresh = freshPlan(seen, expected);
  if (previous.length === 0) return fresh;
  const kept = dropCovered(splitAll(previous, expected), seen, expected);
  const uncovered = seen.filter((viewport) => !isCovered(viewport, kept));
  const held = uncovered.length === 0 ? kept : [...kept, ...freshPlan(uncovered, expected)];
  const costMost = viewports.reduce((sum, viewport) => sum + requestCost(expected(viewport)), 0);
  return steadyPlan(seen, { held: dropCovered(held, seen, expected), fresh }, expected, costMost);
}

/** Areas grow last: grown first, fewer of them would fit into one hull. */
function freshPlan(seen: readonly Bbox[], expected: Expected): readonly Bbox[] {
  const areas = mergeAreas(seen, expected).map((area) => grownArea(area, expected));
  const needed = dropCovered(areas, seen, expected);
  const parts = splitAll(needed, expected);
  return parts.length === needed.length ? needed : dropCovered(parts, seen, expected);
}

function splitAll(areas: readonly Bbox[], expected: Expected): readonly Bbox[] {
  return areas.flatMap((area) => splitByCount(area, expected));
}
