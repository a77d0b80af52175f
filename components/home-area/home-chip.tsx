'use client';

import { House } from 'lucide-react';
import { useDisplay, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { countInBox } from '#lib/picture/draw-picture.ts';
import { epochMs } from '#lib/time/instant.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { homeCountText, homeEmergencyText, isInView } from './home-text.ts';

export function HomeChip() {
  const { display, mapCommands, mapView } = useLookout();
  const [{ homeArea }] = usePreferences();
  const { now, isPast } = useDisplay();
  const { visible } = useValue(mapView);
  if (!homeArea || now === undefined || isPast || isInView(homeArea, visible)) return null;
  const counts = countInBox(display.tracks.columns, epochMs(now), homeArea);
  const emergencies = homeEmergencyText(counts);
  return (
    <Tooltip text="Go to the home area">
      <button
        type="button"
        data-testid="home-chip"
        onClick={() => mapCommands.run({ kind: 'show-box', bbox: homeArea })}
        className="flex min-h-8 min-w-0 items-center gap-2 rounded-control border border-line bg-raised px-2.5 text-left text-table leading-tight hover:border-edge compact:min-h-11"
      >
        <House aria-hidden size={14} className="shrink-0" />
        <span>
          {homeCountText(counts)}
          {emergencies !== undefined && <span className="font-semibold text-bad"> · {emergencies}</span>}
        </span>
      </button>
    </Tooltip>
  );
}
