'use client';

import { useDisplay, useLayersOn, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { AllowanceStatus } from '#lib/client/status/allowance-status.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { AreaRow } from './area-row.tsx';
import { plannedAreas } from './planned-areas.ts';

export interface AreaListProps {
  readonly status: AllowanceStatus;
  /** Called after an area was sent to the map, which the panel with this list may hide. */
  readonly onShown: () => void;
}

/** What the allowance is spent on: every area with a viewer. */
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
