import 'server-only';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import type { Unread } from './plan/demand.ts';
import type { RefreshJob } from './refresh-job.ts';

/**
 * Takes note of views that count as read, as no area of them is waited for any more. Until then a view keeps the best place that its areas share.
 * @param jobs of a plan that was made for all of the demand
 */
export function noteRead(
  demand: { follow(rankOf: (view: Unread) => number | undefined): void },
  jobs: readonly RefreshJob[],
): void {
  const awaited = jobs.filter(({ turn, spending }) => turn || spending === 'first-view');
  demand.follow(({ operator, boxes, layers, unreadSince }) => {
    const own = awaited.filter(
      ({ area, apartFor }) =>
        (apartFor === undefined || apartFor === operator) &&
        layers.includes(area.layer) &&
        boxes.some((box) => intersectBbox(box, area.bbox)),
    );
    if (own.length === 0) return undefined;
    return Math.min(unreadSince, Math.max(...own.map(({ turn }) => turn?.claims.get(operator) ?? unreadSince)));
  });
}
