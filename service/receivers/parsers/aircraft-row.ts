import type { Fix, ParserSettings, PositionOrigin, RefusalCause } from '../fix.ts';
import {
  type AircraftPolicy,
  aircraftName,
  directionDeg,
  emergencyState,
  metresOfFeet,
  mpsOfKnots,
  readPosition,
} from './aircraft-value.ts';
import { type JsonObject, jsonObject, numberWithin } from './json-value.ts';

/** Bits of readsb's `dbFlags`. */
const PIA = 4;
const LADD = 8;

const EPOCH_MS_MIN = 100_000_000_000;
const EPOCH_MS_MAX = 253_402_300_799_999;

export interface RowSettings extends ParserSettings {
  readonly policy: AircraftPolicy;
  /** skyaware978 writes the pressure altitude into `alt_geom` as well. */
  readonly altGeomIsPressure: boolean;
}

/**
 * The `now` of readsb and dump1090 in ms since 1970: seconds, and in readsb's answers of version jv2 milliseconds.
 * `undefined` if it is none.
 */
export function clockMs(now: unknown): number | undefined {
  const value = numberWithin(now, 0, EPOCH_MS_MAX);
  if (value === null) return undefined;
  return Math.round(value < EPOCH_MS_MIN ? value * 1000 : value);
}

/**
 * Reads one aircraft as readsb, dump1090-fa and skyaware978 write it. Of a position that has become invalid
 * (`lastPosition`) nothing is read, nor a track that the receiver computed itself (`calc_track`).
 * @param nowMs the feed's clock when it wrote the row
 */
export function readAircraftRow(row: unknown, nowMs: number, settings: RowSettings): Fix | RefusalCause {
  const aircraft = jsonObject(row);
  if (aircraft === undefined) return 'unreadable';
  const named = nameOf(aircraft.hex, settings.feed);
  if (typeof named === 'string') return named;
  const position = readPosition(aircraft.lon, aircraft.lat);
  if (typeof position === 'string') return position;
  // A position of unknown age could be from any time.
  const seenPosS = numberWithin(aircraft.seen_pos, 0, nowMs / 1000);
  if (seenPosS === null) return 'no_position';
  if (settings.policy.piaAndLadd === 'withhold' && isPiaOrLadd(aircraft.dbFlags)) return 'withheld';

  const onGround = aircraft.alt_baro === 'ground';
  const geometricM = settings.altGeomIsPressure ? null : metresOfFeet(aircraft.alt_geom);
  const headingDeg = directionDeg(aircraft.track) ?? (onGround ? directionDeg(aircraft.true_heading) : null);
  return {
    layer: 'adsb',
    trackKey: settings.keyOf('adsb', named.name),
    feedTimeMs: Math.round(nowMs - seenPosS * 1000),
    trackTimeMs: undefined,
    ...position,
    altitudeM: geometricM ?? metresOfFeet(aircraft.alt_baro),
    heightAglM: null,
    speedMps: mpsOfKnots(aircraft.gs),
    headingDeg,
    onGround,
    origin: originOf(aircraft),
    accuracyM: numberWithin(aircraft.rc, 1, 100_000),
    emergencyState: emergencyState(aircraft.emergency, aircraft.squawk, settings.policy),
    testBroadcast: false,
  };
}

function nameOf(hex: unknown, feed: string) {
  if (typeof hex !== 'string') return 'no_identity';
  return hex.startsWith('~') ? aircraftName(hex.slice(1), false, feed) : aircraftName(hex, true, feed);
}

function isPiaOrLadd(dbFlags: unknown): boolean {
  return typeof dbFlags === 'number' && (dbFlags & (PIA | LADD)) !== 0;
}

/** ADS-C reaches the receiver's network over a satellite's ground station, like what ADS-R repeats. */
const ORIGINS: ReadonlyMap<unknown, PositionOrigin> = new Map([
  ['adsb_icao', 'broadcast'],
  ['adsb_icao_nt', 'broadcast'],
  ['adsb_other', 'broadcast'],
  ['adsr_icao', 'rebroadcast'],
  ['adsr_other', 'rebroadcast'],
  ['adsc', 'rebroadcast'],
  ['tisb_icao', 'tisb'],
  ['tisb_other', 'tisb'],
  ['tisb_trackfile', 'tisb'],
  ['mlat', 'mlat'],
]);

/** `mlat` and `tisb` list the fields that were determined that way, whatever the aircraft sent itself. */
function originOf(aircraft: JsonObject): PositionOrigin {
  const { type, mlat, tisb } = aircraft;
  if (Array.isArray(mlat) && mlat.includes('lat')) return 'mlat';
  if (Array.isArray(tisb) && tisb.includes('lat')) return 'tisb';
  const origin = ORIGINS.get(type);
  if (origin !== undefined) return origin;
  // dump1090 before it wrote types: what is in neither list is from the aircraft.
  return type === undefined && Array.isArray(mlat) && Array.isArray(tisb) ? 'broadcast' : 'unknown';
}
