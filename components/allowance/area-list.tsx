'use client';

import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useDisplay, useLayersOn, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { AllowanceStatus, RefreshedArea } from '#lib/client/status/allowance-status.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { bboxesOverlap } from '#lib/geo/bboxes-overlap.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { LayerIcon } from '../layers/layer-chip.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { areaText, boxText } from './area-text.ts';

interface AreaListProps {
  readonly status: AllowanceStatus;
  readonly onShown: () => void;
}

export function AreaList({ status: { areas, viewers, hasAllowance }, onShown }: AreaListProps) {
  const { mapCommands } = useLookout();
  const { covered, now } = useDisplay();
  const [layersOn] = useLayersOn();
  const [{ zone }] = usePreferences();
  return (
    <section aria-labelledby="planned-areas">
      <div className="flex items-baseline justify-between gap-4 px-4 pt-3 pb-2">
        <h2 id="planned-areas" className="font-semibold">
          Planned areas
        </h2>
        <p data-testid="areas-and-viewers" className="text-dim text-table">
          {groupedNumber(areas.length)} {areas.length === 1 ? 'area' : 'areas'} · {groupedNumber(viewers)}{' '}
          {viewers === 1 ? 'viewer' : 'viewers'}
        </p>
      </div>
      {areas.length === 0 ? (
        <p className="px-4 pb-3 text-dim">No area is planned, so no requests are sent to the service.</p>
      ) : (
        <>
          <p className="px-4 pb-3 text-caption text-dim">
            {hasAllowance &&
              'Areas with more viewers are refreshed more often, areas that take more requests per refresh less often, so that the day’s allowance lasts until midnight UTC. '}
            Areas without viewers are not refreshed.
          </p>
          <ul className="border-line border-b">
            {plannedAreas(areas, covered, layersOn).map((item) => (
              <AreaRow
                key={item.key}
                item={item}
                now={now}
                zone={zone}
                onShow={() => {
                  mapCommands.run({ kind: 'show-box', bbox: item.area.bbox });
                  onShown();
                }}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface AreaRowProps {
  readonly item: PlannedAreaItem;
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
  readonly onShow: () => void;
}

/** The whole row can be clicked. Screen readers announce its place as the button. */
function AreaRow({ item: { area, isThisView }, now, zone, onShow }: AreaRowProps) {
  const { effort, freshness, trouble } = areaText(area, now, zone);
  return (
    <li
      data-testid={`area-${area.layer}`}
      className="relative flex flex-col gap-0.5 border-line border-t px-4 py-2 hover:bg-raised phone:py-3"
    >
      <div className="flex items-center gap-2">
        <span className="text-dim">
          <LayerIcon layer={area.layer} />
          <span className="sr-only">{LAYER_NAME[area.layer]}</span>
        </span>
        <button
          type="button"
          onClick={onShow}
          title="Show on the map"
          className="text-left font-mono font-semibold text-table after:absolute after:inset-0"
        >
          {boxText(area.bbox)}
          <span className="sr-only">: show on the map</span>
        </button>
        {isThisView && (
          <span className="ml-auto shrink-0 rounded-[4px] border border-edge px-1 text-caption text-dim">
            this view
          </span>
        )}
      </div>
      <p className="pl-[22px] text-dim text-table">{effort}</p>
      <p className="pl-[22px] text-dim text-table">{freshness}</p>
      {trouble !== undefined && (
        <p className="flex items-baseline gap-3 text-table">
          <ToneMark tone="warning" />
          {trouble}
        </p>
      )}
    </li>
  );
}

interface PlannedAreaItem {
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
