'use client';

import { Siren } from 'lucide-react';
import { goToNextEmergency } from '#lib/client/page/go-to-next-emergency.ts';
import { useDisplay, useLookout } from '#lib/client/page/lookout-context.tsx';
import { classNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { emergencyCountText } from './emergency-text.ts';

/** How many emergencies are on the map; a click goes to the next one. Renders nothing without one: that is no all-clear. */
export function EmergencyChip() {
  const lookout = useLookout();
  const { emergencies, filtered } = useDisplay();
  const text = emergencyCountText(emergencies, filtered.hiddenEmergencies);
  if (text === undefined) return null;
  const { current, coasted } = emergencies;
  const isReal = current.real + coasted.real > 0;
  return (
    <Tooltip text="Go to the next emergency" shortcut="E">
      <button
        type="button"
        data-testid="emergency-count"
        aria-keyshortcuts="E"
        onClick={() => goToNextEmergency(lookout)}
        className={classNames(
          'flex min-h-8 items-center gap-2 rounded-control border-2 px-2.5 text-left font-semibold text-table leading-tight compact:min-h-11 compact:max-w-48 tablet:not-low:order-last tablet:not-low:min-h-9 tablet:not-low:max-w-none tablet:not-low:basis-full tablet:not-low:justify-center low:max-w-32 phone:order-last phone:min-h-9 phone:max-w-none phone:basis-full phone:justify-center',
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
