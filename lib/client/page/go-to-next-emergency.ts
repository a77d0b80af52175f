import { nextEmergency } from '#lib/picture/next-emergency.ts';
import type { Lookout } from './lookout-context.tsx';

/** Selects the emergency after the selected one, and centres the map on it. Does nothing while none is on the map. */
export function goToNextEmergency({ display, mapCommands }: Pick<Lookout, 'display' | 'mapCommands'>): void {
  const { tracks } = display;
  const { selectedRef } = display.summary();
  const slot = nextEmergency(display.picture(), selectedRef === undefined ? undefined : tracks.slotOf(selectedRef));
  if (slot === undefined) return;
  const { ref, lon, lat } = tracks.positionAt(slot);
  display.select(ref);
  mapCommands.run({ kind: 'centre', lon, lat });
}
