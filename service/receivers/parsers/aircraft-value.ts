import type { RefusalCause } from '../fix.ts';
import { type FieldNotes, numberWithin } from './parsed-message.ts';

const METRES_PER_FOOT = 0.3048;
const MPS_PER_KNOT = 1852 / 3600;

/** The limits lie above what a transponder encodes (126,750 ft), and below the lowest airfields. */
const ALTITUDE_MIN_FT = -2000;
const ALTITUDE_MAX_FT = 130_000;
/** The maximum of ADS-B's supersonic format. */
const SPEED_MAX_KT = 4086;

/** The altitude in metres, null if it is none. */
export function metresOfFeet(feet: unknown): number | null {
  const altitude = numberWithin(feet, ALTITUDE_MIN_FT, ALTITUDE_MAX_FT);
  return altitude === null ? null : round(altitude * METRES_PER_FOOT, 100);
}

/** The speed in m/s, null if it is none. */
export function mpsOfKnots(knots: unknown): number | null {
  const speed = numberWithin(knots, 0, SPEED_MAX_KT);
  return speed === null ? null : round(speed * MPS_PER_KNOT, 100);
}

/** A direction in degrees in [0, 360); null if it is none. */
export function directionDeg(degrees: unknown): number | null {
  const direction = numberWithin(degrees, 0, 360);
  return direction === 360 ? 0 : direction;
}

/** 0,0 is an empty record. @returns the position, or the cause of a refusal */
export function readLonLat(lon: unknown, lat: unknown): { readonly lon: number; readonly lat: number } | RefusalCause {
  if (lon === undefined || lon === null || lat === undefined || lat === null) return 'no_position';
  const [within, withinLat] = [numberWithin(lon, -180, 180), numberWithin(lat, -90, 90)];
  if (within === null || withinLat === null) return 'impossible_value';
  return within === 0 && withinLat === 0 ? 'no_position' : { lon: within, lat: withinLat };
}

/**
 * ICAO addresses are the same at every station. Others are made up, so their names contain the feed.
 * @returns the cause if it names no aircraft: DroneScout, DragonSync and others pass on drones as FF0000–FFFFFF, which
 * ICAO did not assign
 */
export function aircraftName(
  address: unknown,
  isIcao: boolean,
  feed: string,
): { readonly name: string } | RefusalCause {
  if (typeof address !== 'string' || !/^[0-9a-f]{6}$/i.test(address)) return 'no_identity';
  const hex = address.toLowerCase();
  if (hex === '000000') return 'no_identity';
  if (!isIcao) return { name: `~:${feed}:${hex}` };
  return hex.startsWith('ff') ? 'drone_as_aircraft' : { name: `icao:${hex}` };
}

/** The categories of obstacles: point, cluster and line (DO-260B 2.2.3.2.5.2, and the same in UAT). */
const OBSTACLES: ReadonlySet<unknown> = new Set(['C3', 'C4', 'C5']);

export function isObstacle(category: unknown): boolean {
  return OBSTACLES.has(category);
}

export interface AircraftPolicy {
  /** `unknown` is what the contract says of live ADS-B at present. Default `as_received`. */
  readonly emergency?: 'as_received' | 'unknown' | undefined;
  /**
   * Aircraft with a privacy address (PIA) or limited display (LADD), which only readsb with its database marks.
   * Default `serve`.
   */
  readonly piaAndLadd?: 'serve' | 'withhold' | undefined;
}

/** DO-260B 2.2.3.2.7.8.1 by readsb's names. UAT's `medical` equals `lifeguard`. */
const EMERGENCY_STATES: ReadonlyMap<unknown, string> = new Map([
  ...['none', 'general', 'lifeguard', 'minfuel', 'nordo', 'unlawful', 'downed', 'reserved'].map(
    (state) => [state, state] as const,
  ),
  ['medical', 'lifeguard'],
]);

const EMERGENCY_SQUAWKS: ReadonlyMap<unknown, string> = new Map([
  ['7500', 'unlawful'],
  ['7600', 'nordo'],
  ['7700', 'general'],
]);

const NO_STATES: ReadonlySet<unknown> = new Set([undefined, null, 'invalid', 'unknown']);

/** The squawk's state if the received one is missing or `none`. Unknown texts could be anything. */
export function readEmergency(
  state: unknown,
  squawk: unknown,
  policy: AircraftPolicy,
  notes: FieldNotes,
): string | null {
  const reported = EMERGENCY_STATES.get(state) ?? null;
  if (reported === null && !NO_STATES.has(state)) notes.unusable('emergency');
  if (squawk !== undefined && squawk !== null && typeof squawk !== 'string') notes.unusable('squawk');
  if (policy.emergency === 'unknown') return 'unknown';
  const squawked = EMERGENCY_SQUAWKS.get(squawk) ?? null;
  return reported === null || reported === 'none' ? (squawked ?? reported) : reported;
}

function round(value: number, perUnit: number): number {
  return Math.round(value * perUnit) / perUnit;
}
