'use client';

import { Siren } from 'lucide-react';
import { useEffect } from 'react';
import { useDisplay, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { goToNextEmergency } from '#lib/client/page/selecting.ts';
import { emergencyNumber } from '#lib/picture/next-emergency.ts';
import { classNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { emergencyCountText } from './emergency-text.ts';

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
  return (
    <Tooltip text="Go to the next emergency" shortcut="E">
      <button
        type="button"
        data-testid="emergency-count"
        aria-keyshortcuts="E"
        onClick={() => goToNextEmergency(lookout)}
        className={classNames(
          'flex min-h-8 min-w-min items-center gap-2 rounded-control border-2 px-2.5 py-0.5 text-left font-semibold text-table leading-tight compact:min-h-11 compact:max-w-48 tablet:not-low:order-last tablet:not-low:min-h-9 tablet:not-low:max-w-none tablet:not-low:basis-full tablet:not-low:justify-center low:max-w-32 phone:order-last phone:min-h-9 phone:max-w-none phone:basis-full phone:justify-center',
          isReal ? 'border-bad bg-bad text-background' : 'border-bad border-dashed text-bad hover:bg-raised',
        )}
      >
        <Siren aria-hidden size={15} className="shrink-0" />
        {text}
        <span className="sr-only">. Go to the next</span>
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
    <p role="status" data-testid="emergency-note" className="text-table leading-tight">
      {note}
    </p>
  );
}
