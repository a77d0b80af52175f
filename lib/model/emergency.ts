/** How an emergency state is shown: as a ring (a known emergency), as text (an unknown value), or not at all. */
export type EmergencyClass = 'emergency' | 'as-text' | 'quiet';

/**
 * Values that denote an emergency, matched exactly. Sources: the ADS-B emergency/priority status of DO-260B 2.2.3.2.7.8.1 with
 * readsb's names (general, lifeguard, minfuel, nordo, unlawful, downed), and the Remote ID operational status
 * "Emergency" of ASTM F3411 (emergency).
 */
const emergencies: ReadonlySet<string> = new Set([
  'general',
  'lifeguard',
  'minfuel',
  'nordo',
  'unlawful',
  'downed',
  'emergency',
]);

/** "No emergency", or "unknown", which is not an all-clear but is nothing to mark on the map. The panel shows both as text. */
const quiet: ReadonlySet<string> = new Set(['none', 'unknown']);

export function emergencyClass(state: string | undefined): EmergencyClass {
  if (state === undefined || quiet.has(state)) return 'quiet';
  return emergencies.has(state) ? 'emergency' : 'as-text';
}
