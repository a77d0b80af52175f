/** How a mark shows an emergency value: with a ring, as text, or not at all. */
export type EmergencyClass = 'emergency' | 'as-text' | 'quiet';

/** Words for known values: those of ADS-B (DO-260B 2.2.3.2.7.8.1, readsb's names), and Remote ID's "Emergency" (ASTM F3411). */
const EMERGENCIES: ReadonlyMap<string, string> = new Map([
  ['general', 'GENERAL EMERGENCY'],
  ['lifeguard', 'LIFEGUARD (medical flight)'],
  ['minfuel', 'MINIMUM FUEL'],
  ['nordo', 'NO COMMUNICATIONS'],
  ['unlawful', 'UNLAWFUL INTERFERENCE'],
  ['downed', 'DOWNED AIRCRAFT'],
  ['emergency', 'EMERGENCY'],
]);

export function emergencyWords(state: string): string {
  return EMERGENCIES.get(state) ?? state;
}

/** The map does not mark these values, although "unknown" is no all-clear. */
const quiet: ReadonlySet<string> = new Set(['none', 'unknown']);

export function emergencyClass(state: string | undefined): EmergencyClass {
  if (state === undefined || quiet.has(state)) return 'quiet';
  return EMERGENCIES.has(state) ? 'emergency' : 'as-text';
}
