import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import { boxesShareArea } from './boxes-share-area.ts';
import { isCovered } from './is-covered.ts';
import { type Expected, requestCost } from './request-cost.ts';

/** Areas are compared in pairs. */
const COMPARED_MAX = 1000;

/** The most expensive first. */
export function dropCovered(areas: readonly Bbox[], viewports: readonly Bbox[], expected: Expected): readonly Bbox[] {
  const costs = new Map(areas.map((area) => [area, requestCost(expected(area))]));
  const costOf = (area: Bbox) => costs.get(area) ?? 0;
  const cheapestFirst = areas.toSorted((a, b) => costOf(a) - costOf(b));
  let left = areas.length > COMPARED_MAX ? firstThatCover(cheapestFirst) : cheapestFirst;
  for (const area of left.toReversed()) {
    const others = left.filter((other) => other !== area && boxesShareArea(other, area));
    if (isCovered(area, others) || !viewports.some((viewport) => needs(viewport, area, others))) {
      left = left.filter((other) => other !== area);
    }
  }
  const needed = new Set(left);
  return areas.filter((area) => needed.has(area));
}

function needs(viewport: Bbox, area: Bbox, others: readonly Bbox[]): boolean {
  const seen = boxesShareArea(viewport, area) && intersectBbox(viewport, area);
  return seen ? !isCovered(seen, others) : false;
}

function firstThatCover(areas: readonly Bbox[]): readonly Bbox[] {
  const first: Bbox[] = [];
  for (const area of areas) {
    if (
      !isCovered(
        area,
        first.filter((other) => boxesShareArea(other, area)),
      )
    )
      first.push(area);
  }
  return first;
}
