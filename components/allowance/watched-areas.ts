import type { RefreshedArea } from '#lib/client/status/allowance-status.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { bboxesOverlap } from '#lib/geo/bboxes-overlap.ts';
import type { Layer } from '#lib/model/position.ts';

export interface WatchedAreaItem {
  /** The same for as long as it is the same area. */
  readonly key: string;
  readonly area: RefreshedArea;
  /** Whether what this operator watches is read from it. */
  readonly isThisView: boolean;
}

/**
 * The areas in the order of the list: those of this view first, then by viewers, and always the same among equals.
 * @param covered what is watched of this operator's view
 */
export function watchedAreas(
  areas: readonly RefreshedArea[],
  covered: readonly Bbox[],
  layersOn: ReadonlySet<Layer>,
): readonly WatchedAreaItem[] {
  return areas
    .map((area) => ({
      key: `${area.layer} ${formatBbox(area.bbox)}`,
      area,
      isThisView: layersOn.has(area.layer) && covered.some((part) => bboxesOverlap(part, area.bbox)),
    }))
    .sort(
      (one, other) =>
        Number(other.isThisView) - Number(one.isThisView) ||
        other.area.viewers - one.area.viewers ||
        (one.key < other.key ? -1 : 1),
    );
}
