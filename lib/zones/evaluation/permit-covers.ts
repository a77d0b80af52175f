import { epochMs, instantOf } from '#lib/time/instant.ts';
import type { Permit } from '../permit.ts';
import type { WatchedZone } from './transition.ts';
import { heightM } from './vertical.ts';
import type { Track } from './zone-state.ts';

export function arePermitted(zone: WatchedZone, tracks: readonly (Track | undefined)[]): boolean {
  return tracks.every((track) => !track || zone.permits.some((permit) => covers(permit, zone, track)));
}

/** Not at an unknown height if the permit has a limit. */
function covers(permit: Permit, { vertical }: WatchedZone, { layer, ref, position, atMs }: Track): boolean {
  if (epochMs(instantOf(permit.until)) <= atMs) return false;
  if (permit.track && (permit.track.layer !== layer || permit.track.ref !== ref)) return false;
  const height = heightM(position, vertical?.field ?? 'height_agl_m');
  return permit.up_to_m === null || (height !== undefined && height <= permit.up_to_m);
}
