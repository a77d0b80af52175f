'use client';

import { useDisplay, useIsReplaying, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { LastHour } from './last-hour.tsx';
import { liveTrailNote, REPLAY_TRAIL_NOTE } from './trail-note.ts';

/** Which tracks have trails, what these show, and what lies beyond them. */
export function TrailChoice() {
  const { liveTrails } = useLookout();
  const [{ trails, zone }, change] = usePreferences();
  const isReplaying = useIsReplaying();
  const state = useValue(liveTrails);
  const { now } = useDisplay();
  return (
    <div>
      <ChoiceRow
        label="Trails"
        note={isReplaying ? REPLAY_TRAIL_NOTE[trails] : liveTrailNote(trails, state, now, zone)}
        value={trails}
        choices={[
          { value: 'off', label: 'Off' },
          { value: 'selected', label: 'Selected' },
          { value: 'all', label: 'All' },
        ]}
        onChange={(level) => change({ trails: level })}
      />
      {!isReplaying && <LastHour />}
    </div>
  );
}
