'use client';

import { useDisplay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { replayTimeText } from './replay-time-text.ts';

/** Says over the map, for as long as it is so, that a past moment is shown and which. */
export function ReplayPlate() {
  const { shownAt, now, isPast } = useDisplay();
  const [{ zone }] = usePreferences();
  if (!isPast || shownAt === undefined) return null;
  return (
    <p
      data-testid="replay-plate"
      className="rounded-card border-2 border-warning bg-surface px-4 py-1.5 text-center font-mono font-semibold text-[16px] text-warning phone:px-3 phone:text-body"
    >
      REPLAY {replayTimeText(shownAt, now, zone)}
    </p>
  );
}
