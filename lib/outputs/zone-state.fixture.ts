import type { AnnouncedZone } from './mqtt-messages.ts';

/** Watched, and without an alarm. */
export function zoneStateOf(changed: Partial<AnnouncedZone> = {}): AnnouncedZone {
  return {
    id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7a01',
    name: 'Runway 14/32',
    hasEntryRule: true,
    watched: 'watched',
    reason: null,
    open: [],
    last: null,
    ...changed,
  };
}
