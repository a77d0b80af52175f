import type { Aircraft } from '#lib/api/outputs/output-answers.ts';
import type { Position } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { lengthIn, speedIn } from '#lib/model/units.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

export interface AircraftOptions {
  readonly now: UpstreamInstant;
  /** The field that has `altitude_m` in feet. */
  readonly altitudeAs: 'alt_baro' | 'alt_geom' | null;
}

/** The emergency states of ADS-B (DO-260B, 2.2.3.2.7.8.1.1), in readsb's words. */
const EMERGENCIES: ReadonlySet<string> = new Set([
  'none',
  'general',
  'lifeguard',
  'minfuel',
  'nordo',
  'unlawful',
  'downed',
  'reserved',
]);

/** @param positions one of each reference */
export function aircraftOf(positions: readonly Position[], { now, altitudeAs }: AircraftOptions): readonly Aircraft[] {
  const addresses = hexAddresses(positions.map(({ ref }) => ref));
  return positions.map((position): Aircraft => {
    const { ref, kind, altitudeM, heightAglM, speedMps, headingDeg, emergencyState, simulated, testBroadcast } =
      position;
    const seen = tenths(Math.max(0, msBetween(position.observedAt, now)) / SECOND_MS);
    const marks = [simulated && 'SIM', testBroadcast && 'TEST'].filter((mark) => mark !== false);
    return {
      hex: addresses.get(ref) as string,
      type: kind === 'aircraft' ? 'adsb_other' : 'other',
      ...(marks.length > 0 && { flight: [...marks, shortReference(ref)].join(' ') }),
      ...(altitudeAs !== null &&
        altitudeM !== undefined && { [altitudeAs]: Math.round(lengthIn('aviation', altitudeM)) }),
      ...(speedMps !== undefined && { gs: tenths(speedIn('aviation', speedMps)) }),
      ...(headingDeg !== undefined && { track: headingDeg }),
      ...(emergencyState !== undefined && EMERGENCIES.has(emergencyState) && { emergency: emergencyState }),
      ...(kind === 'drone' && { category: 'B6' }),
      lat: position.lat,
      lon: position.lon,
      seen,
      seen_pos: seen,
      public_track_id: ref,
      simulated,
      test: testBroadcast,
      ...(altitudeM !== undefined && { altitude_m: altitudeM }),
      ...(heightAglM !== undefined && { height_agl_m: heightAglM }),
    };
  });
}

/** `now` of `aircraft.json`: seconds since 1970. */
export function secondsOf(at: UpstreamInstant): number {
  return epochMs(at) / SECOND_MS;
}

function tenths(value: number): number {
  return Number(value.toFixed(1));
}

/** The number of addresses of 24 bits. A `~` marks one that ICAO has not assigned. */
const ADDRESSES = 0x1000000;

/**
 * An address of 24 bits for each reference, no two alike. Without a collision it depends on the reference alone; of
 * references that collide, the first in code point order has the address that it has alone.
 */
export function hexAddresses(references: Iterable<string>): ReadonlyMap<string, string> {
  const addresses = new Map<string, string>();
  const taken = new Set<number>();
  for (const reference of [...new Set(references)].sort()) {
    let address = hash(reference);
    for (let again = 1; taken.has(address); again++) address = hash(`${reference} ${again}`);
    taken.add(address);
    addresses.set(reference, `~${address.toString(16).padStart(6, '0')}`);
  }
  return addresses;
}

/** Hashes by FNV-1a with the finish of MurmurHash3. */
function hash(text: string): number {
  let bits = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) % ADDRESSES;
}
