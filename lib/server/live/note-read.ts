import 'server-only';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import type { Unread } from './plan/demand.ts';
import type { RefreshJob } from './refresh-job.ts';

/**
 * A view is read once it waits for no area; until then it keeps the best place of its areas.
 * @param jobs of a plan for all of the demand
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
