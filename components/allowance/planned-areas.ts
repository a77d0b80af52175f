import type { RefreshedArea } from '#lib/client/status/allowance-status.ts';
import { type Bbox, bboxesOverlap, formatBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';

export interface PlannedAreaItem {
  readonly key: string;
  readonly area: RefreshedArea;
  readonly isThisView: boolean;
}

/**
 * This view's areas first, then by viewers, in a stable order.
 * @param covered the answered part of this operator's view
 */
export function plannedAreas(
  areas: readonly RefreshedArea[],
  covered: readonly Bbox[],
  layersOn: ReadonlySet<Layer>,
): readonly PlannedAreaItem[] {
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
