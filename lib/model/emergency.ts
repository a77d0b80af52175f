/** How an emergency state is shown: as a ring (a known emergency), as text (an unknown value), or not at all. */
export type EmergencyClass = 'emergency' | 'as-text' | 'quiet';

/**
 * The values that denote an emergency, matched exactly, in the field's words. Sources: the ADS-B emergency/priority status of DO-260B 2.2.3.2.7.8.1 with
 * readsb's names (general, lifeguard, minfuel, nordo, unlawful, downed), and the Remote ID operational status
 * "Emergency" of ASTM F3411 (emergency).
 */
const EMERGENCIES: ReadonlyMap<string, string> = new Map([
  ['general', 'GENERAL EMERGENCY'],
  ['lifeguard', 'LIFEGUARD (medical flight)'],
  ['minfuel', 'MINIMUM FUEL'],
  ['nordo', 'NO COMMUNICATIONS'],
  ['unlawful', 'UNLAWFUL INTERFERENCE'],
  ['downed', 'DOWNED AIRCRAFT'],
  ['emergency', 'EMERGENCY'],
]);

/** An emergency state in the field's words; an unknown one as received. */
export function emergencyWords(state: string): string {
  return EMERGENCIES.get(state) ?? state;
}

/** "No emergency" or "unknown". The map marks neither, although "unknown" is no all-clear; the panel shows both as text. */
const quiet: ReadonlySet<string> = new Set(['none', 'unknown']);

export function emergencyClass(state: string | undefined): EmergencyClass {
  if (state === undefined || quiet.has(state)) return 'quiet';
  return EMERGENCIES.has(state) ? 'emergency' : 'as-text';
}
