'use client';

import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { useStatus } from '#lib/client/status/status-query.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { boxText } from '../allowance/area-text.ts';
import { Button } from '../ui/button.tsx';
import { homePriceText } from './home-text.ts';

export function HomeAreaSection() {
  const { mapCommands, mapView } = useLookout();
  const [{ homeArea }, change] = usePreferences();
  const { visible } = useValue(mapView);
  const { status } = useStatus(homeArea !== null);
  const isTooWide = visible !== undefined && Math.max(lonSpanDeg(visible), latSpanDeg(visible)) > LIVE_MAX_SPAN_DEG;
  return (
    <section aria-label="Home area" className="flex flex-col gap-2">
      <p className="font-medium">Home area</p>
      <p className="text-caption text-dim" data-testid="home-area">
        {homeArea
          ? `${boxText(homeArea)}. Requested whatever the map shows; the bar counts it. ${homePriceText(homeArea, status?.hasAllowance ?? true, status?.areas)}`
          : 'None. A home area is requested whatever the map shows, and the bar shows its counts and emergencies.'}
        {isTooWide && ` A home area is at most ${LIVE_MAX_SPAN_DEG}° wide and high: zoom in first.`}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button disabled={!visible || isTooWide} onClick={() => change({ homeArea: visible ?? null })}>
          {homeArea ? 'Use this view instead' : 'Use this view'}
        </Button>
        {homeArea && (
          <>
            <Button onClick={() => mapCommands.run({ kind: 'show-box', bbox: homeArea })}>Go there</Button>
            <Button onClick={() => change({ homeArea: null })}>Remove</Button>
          </>
        )}
      </div>
    </section>
  );
}
