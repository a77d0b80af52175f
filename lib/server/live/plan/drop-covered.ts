import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import { isCovered } from './is-covered.ts';
import { type Expected, requestCost } from './request-cost.ts';

/** The areas without those whose part of every viewport is covered by others; the dearest go first. */
export function dropCovered(areas: readonly Bbox[], viewports: readonly Bbox[], expected: Expected): readonly Bbox[] {
  const priced = areas.map((area) => ({ area, cost: requestCost(expected(area)) }));
  const left = new Set(priced.sort((a, b) => b.cost - a.cost).map(({ area }) => area));
  for (const { area } of priced) {
    const others = [...left].filter((other) => other !== area && intersectBbox(other, area) !== undefined);
    const isNeeded = viewports.some((viewport) => {
      const seen = intersectBbox(viewport, area);
      return seen !== undefined && !isCovered(seen, others);
    });
    if (!isNeeded) left.delete(area);
  }
  return areas.filter((area) => left.has(area));
}
