'use client';

import { Siren } from 'lucide-react';
import { useEffect } from 'react';
import { useDisplay, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { goToNextEmergency } from '#lib/client/page/selecting.ts';
import { emergencyNumber } from '#lib/picture/next-emergency.ts';
import { barCount } from '../ui/bar.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { emergencyCountText, emergencyNumbers } from './emergency-text.ts';

const NOTE_MS = 6000;

/** Renders nothing without emergencies, which is no all-clear; the shortcut answers even then. */
export function EmergencyChip() {
  const lookout = useLookout();
  const { emergencies, filtered, selectedRef } = useDisplay();
  const { display } = lookout;
  const slot = selectedRef === undefined ? undefined : display.tracks.slotOf(selectedRef);
  const place = emergencyNumber(display.picture(), slot);
  const text = emergencyCountText(emergencies, filtered.hiddenEmergencies, place);
  if (text === undefined) return <NoEmergency />;
  const { current, expired } = emergencies;
  const isReal = current.real + expired.real > 0;
  const [first, ...others] = emergencyNumbers(emergencies, filtered.hiddenEmergencies);
  return (
    <Tooltip text={text} shortcut="E">
      <button
        type="button"
        data-testid="emergency-count"
        aria-keyshortcuts="E"
        onClick={() => goToNextEmergency(lookout)}
        className={barCount(
          isReal
            ? 'border-2 border-bad bg-bad text-background'
            : 'border-2 border-bad border-dashed text-bad hover:bg-raised',
        )}
      >
        <span className="sr-only">{text}. Go to the next</span>
        <Siren aria-hidden size={15} className="shrink-0" />
        <span aria-hidden>
          {first}
          {others.length > 0 && <span className="tablet:hidden"> + {others.join(' + ')}</span>}
        </span>
      </button>
    </Tooltip>
  );
}

function NoEmergency() {
  const { emergencyNote } = useLookout().selecting;
  const note = useValue(emergencyNote);
  useEffect(() => {
    if (note === undefined) return;
    const timer = setTimeout(() => emergencyNote.set(undefined), NOTE_MS);
    return () => clearTimeout(timer);
  }, [note, emergencyNote]);
  return (
    <p role="status" data-testid="emergency-note" className="line-clamp-2 text-table leading-tight">
      {note}
    </p>
  );
}
