import type { RefusalCause } from '../fix.ts';
import type { FieldNotes } from './field-notes.ts';
import { numberWithin } from './json-value.ts';

const METRES_PER_FOOT = 0.3048;
const MPS_PER_KNOT = 1852 / 3600;

/** Beyond what an aircraft's transponder can encode (126,750 ft), and below the lowest airfields. */
const ALTITUDE_MIN_FT = -2000;
const ALTITUDE_MAX_FT = 130_000;
/** The largest speed of ADS-B's supersonic format. */
const SPEED_MAX_KT = 4086;

/** An altitude in feet as metres, to the centimetre. null if it is no number or no altitude. */
export function metresOfFeet(feet: unknown): number | null {
  const altitude = numberWithin(feet, ALTITUDE_MIN_FT, ALTITUDE_MAX_FT);
  return altitude === null ? null : round(altitude * METRES_PER_FOOT, 100);
}

/** A speed in knots as m/s, to the centimetre a second. null if it is no number or no speed. */
export function mpsOfKnots(knots: unknown): number | null {
  const speed = numberWithin(knots, 0, SPEED_MAX_KT);
  return speed === null ? null : round(speed * MPS_PER_KNOT, 100);
}

/** A direction in degrees, 360 as 0. null if it is none. */
export function directionDeg(degrees: unknown): number | null {
  const direction = numberWithin(degrees, 0, 360);
  return direction === 360 ? 0 : direction;
}

/** @returns the position, or why it is none: 0,0 is what an empty record of a position looks like */
export function readPosition(
  lon: unknown,
  lat: unknown,
): { readonly lon: number; readonly lat: number } | RefusalCause {
  if (lon === undefined || lon === null || lat === undefined || lat === null) return 'no_position';
  const [within, withinLat] = [numberWithin(lon, -180, 180), numberWithin(lat, -90, 90)];
  if (within === null || withinLat === null) return 'impossible_value';
  return within === 0 && withinLat === 0 ? 'no_position' : { lon: within, lat: withinLat };
}

/**
 * The name of an aircraft from its 24-bit address, in hex digits of either case. ICAO addresses are the same at every
 * station; others are made up by who sends them, or by the station, and stay with the feed.
 * @returns why the address names no aircraft: DroneScout, DragonSync and others pass drones on as aircraft
 * FF0000–FFFFFF, of which ICAO assigned none
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

/** Categories of fixed obstacles: a point, a cluster, a line (DO-260B 2.2.3.2.5.2; UAT has the same). */
const OBSTACLES: ReadonlySet<unknown> = new Set(['C3', 'C4', 'C5']);

/** Whether an emitter's category is that of an obstacle, such as a tethered balloon or a mast. */
export function isObstacle(category: unknown): boolean {
  return OBSTACLES.has(category);
}

/** What an operator of the service decides about aircraft. */
export interface AircraftPolicy {
  /**
   * Whether an emergency state is passed on as received, or is always `unknown`, which the contract says live ADS-B
   * returns at present. Default `as_received`.
   */
  readonly emergency?: 'as_received' | 'unknown' | undefined;
  /**
   * Whether aircraft with a privacy address (PIA) or of limited display (LADD) are served. Only readsb with its
   * database of aircraft says which they are. Default `serve`.
   */
  readonly piaAndLadd?: 'serve' | 'withhold' | undefined;
}

/** ADS-B's emergency and priority states (DO-260B 2.2.3.2.7.8.1) as readsb names them. UAT's `medical` is the same as `lifeguard`. */
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

/** What receivers write for "no emergency state was received". */
const NO_STATES: ReadonlySet<unknown> = new Set([undefined, null, 'invalid', 'unknown']);

/**
 * The state that was received, or the one that its squawk stands for if the state is missing or `none`. A text that is
 * none of the known states is not passed on: it could be anything.
 */
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
