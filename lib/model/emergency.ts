/** What an emergency value calls for: a ring (a known emergency), a text (anything unknown to us), or nothing. */
export type EmergencyClass = 'emergency' | 'as-text' | 'quiet';

/**
 * Values that mean an emergency, matched exactly. Sources: the ADS-B emergency/priority status of DO-260B 2.2.3.2.7.8.1 in
 * the words readsb gives it (general, lifeguard, minfuel, nordo, unlawful, downed), and the Remote ID operational status
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

/** Reported as no emergency, or not an all-clear but nothing to point at on the map: the panel still shows the word. */
const quiet: ReadonlySet<string> = new Set(['none', 'unknown']);

export function emergencyClass(state: string | undefined): EmergencyClass {
  if (state === undefined || quiet.has(state)) return 'quiet';
  return emergencies.has(state) ? 'emergency' : 'as-text';
}
