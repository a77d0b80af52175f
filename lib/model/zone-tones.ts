import type { MapTheme } from './altitude-colour.ts';

/**
 * The colours of zones: few, and apart for every kind of colour vision. They are duller than marks, and none is the red
 * of an alarm or the amber of a replay.
 */
export const ZONE_TONES = {
  dark: ['#c29de5', '#6277bc', '#3fb19a', '#92cf97'],
  light: ['#634ea4', '#503703', '#4a8877', '#1c4162'],
} as const satisfies Readonly<Record<MapTheme, readonly string[]>>;

/** An index in `ZONE_TONES`, the same for a zone on every page and after each change of it. */
export function zoneTone(id: string): number {
  // FNV-1a
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % ZONE_TONES.dark.length;
}
