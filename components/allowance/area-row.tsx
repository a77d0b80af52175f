'use client';

import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { LayerIcon } from '../layers/layer-icon.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { areaText, boxText } from './area-text.ts';
import type { PlannedAreaItem } from './planned-areas.ts';

export interface AreaRowProps {
  readonly item: PlannedAreaItem;
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
  readonly onShow: () => void;
}

/** One planned area. The whole row is clickable; screen readers announce the place as the button. */
export function AreaRow({ item: { area, isThisView }, now, zone, onShow }: AreaRowProps) {
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
