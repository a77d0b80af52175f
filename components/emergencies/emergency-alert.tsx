'use client';

import { useEffect, useState } from 'react';
import type { Display } from '#lib/client/display/display.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { Position } from '#lib/model/position.ts';
import { calledEmergencies, emergencyCall } from './emergency-text.ts';

/** Announces each emergency once, as soon as it appears. */
export function EmergencyAlert() {
  const { display } = useLookout();
  const [{ callsUnreal }] = usePreferences();
  const [call, setCall] = useState('');
  useEffect(() => {
    let called: ReadonlySet<string> = new Set();
    return display.subscribe(() => {
      if (called.size === 0 && display.picture().emergencies.length === 0) return;
      const present = new Map(
        calledEmergencies(emergenciesOf(display), callsUnreal).map((position) => [keyOf(position), position]),
      );
      const appeared = [...present].filter(([key]) => !called.has(key)).map(([, position]) => position);
      called = new Set(present.keys());
      if (appeared.length > 0) setCall(emergencyCall(appeared));
    });
  }, [display, callsUnreal]);
  return (
    <p role="alert" data-testid="emergency-alert" className="sr-only">
      {call}
    </p>
  );
}

function emergenciesOf(display: Display): readonly Position[] {
  const { emergencies, slot } = display.picture();
  return emergencies.map((index) => display.tracks.positionAt(slot[index] as number));
}

function keyOf({ ref, emergencyState }: Position): string {
  return `${ref} ${emergencyState}`;
}
