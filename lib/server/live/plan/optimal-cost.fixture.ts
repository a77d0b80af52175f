import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { type Expected, requestCost } from './request-cost.ts';

/** Takes 3ⁿ steps: for up to about ten viewports. */
export function optimalCost(viewports: readonly Bbox[], expected: Expected): number {
  const all = 2 ** viewports.length - 1;
  const groupCost = Array.from({ length: all + 1 }, (_, group) => {
    const hull = hullOf(viewports.filter((_viewport, index) => (group >> index) & 1));
    const isAllowed = Math.max(lonSpanDeg(hull), latSpanDeg(hull)) <= LIVE_MAX_SPAN_DEG;
    return group > 0 && isAllowed ? requestCost(expected(hull)) : Number.POSITIVE_INFINITY;
  });
  const best = [0];
  for (let set = 1; set <= all; set++) {
    const first = set & -set;
    let min = Number.POSITIVE_INFINITY;
    for (let group = set; group > 0; group = (group - 1) & set) {
      if (group & first) min = Math.min(min, (groupCost[group] as number) + (best[set ^ group] as number));
    }
    best.push(min);
  }
  return best[all] as number;
}

function hullOf(boxes: readonly Bbox[]): Bbox {
  return {
    west: Math.min(...boxes.map(({ west }) => west)),
    south: Math.min(...boxes.map(({ south }) => south)),
    east: Math.max(...boxes.map(({ east }) => east)),
    north: Math.max(...boxes.map(({ north }) => north)),
  };
}
