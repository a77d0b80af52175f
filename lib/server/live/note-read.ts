import 'server-only';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import type { Unread } from './plan/demand.ts';
import type { RefreshJob } from './refresh-job.ts';

/** Until it waits for no area, a view keeps their best place. @param jobs of a plan for all of the demand */
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
