import { type JsonObject, jsonObject } from '../../json/mend-object.ts';
import type { Fix, ParserSettings, PositionOrigin, RefusalCause } from '../fix.ts';
import {
  type AircraftPolicy,
  aircraftName,
  directionDeg,
  isObstacle,
  metresOfFeet,
  mpsOfKnots,
  readEmergency,
  readLonLat,
} from './aircraft-value.ts';
import { type FieldNotes, numberWithin } from './parsed-message.ts';

const PIA = 4;
const LADD = 8;

const EPOCH_MS_MIN = 100_000_000_000;
const EPOCH_MS_MAX = 253_402_300_799_999;

export interface RowSettings extends ParserSettings {
  readonly policy: AircraftPolicy;
  /** Whether `alt_geom` is a pressure altitude, as in rows of skyaware978. */
  readonly altGeomIsPressure: boolean;
}

/** ms since 1970. `now` is in seconds, in readsb's jv2 answers in milliseconds. */
export function clockMs(now: unknown): number | undefined {
  const value = numberWithin(now, 0, EPOCH_MS_MAX);
  if (value === null) return undefined;
  return Math.round(value < EPOCH_MS_MIN ? value * 1000 : value);
}

/**
 * Ignores `lastPosition`, which is invalid, and `calc_track`, which the receiver computed.
 * @param nowMs the feed's clock when it wrote the row
 * @returns a fix without a time if the row has no age
 */
export function readAircraftRow(
  row: unknown,
  nowMs: number | undefined,
  settings: RowSettings,
  notes: FieldNotes,
): Fix | RefusalCause {
  const aircraft = jsonObject(row);
  if (aircraft === undefined) return 'unreadable';
  notes.check(aircraft, AIRCRAFT_FIELDS);
  const named = nameOf(aircraft.hex, settings.feed);
  if (typeof named === 'string') return named;
  if (isObstacle(aircraft.category)) return 'obstacle';
  if (aircraft.validposition === 0) return 'no_position';
  const position = readLonLat(aircraft.lon, aircraft.lat);
  if (typeof position === 'string') return position;
  if (settings.policy.piaAndLadd === 'withhold' && isPiaOrLadd(aircraft.dbFlags)) return 'withheld';

  const seenPosS = notes.read(aircraft, ['seen_pos'], (age) => numberWithin(age, 0, (nowMs ?? EPOCH_MS_MAX) / 1000));
  return {
    layer: 'adsb',
    trackKey: settings.keyOf('adsb', named.name),
    feedTimeMs: nowMs === undefined || seenPosS === null ? undefined : Math.round(nowMs - seenPosS * 1000),
    trackTimeMs: undefined,
    ...position,
    ...readMotion(aircraft, settings, notes),
    heightAglM: null,
    origin: originOf(aircraft),
    accuracyM: accuracyM(aircraft, notes),
    emergencyState: readEmergency(aircraft.emergency, aircraft.squawk, settings.policy, notes),
    testBroadcast: false,
  };
}

function readMotion(aircraft: JsonObject, settings: RowSettings, notes: FieldNotes) {
  const onGround = ALTITUDE_NAMES.some((name) => aircraft[name] === 'ground');
  const geometricM = settings.altGeomIsPressure ? null : notes.read(aircraft, ['alt_geom'], metresOfFeet);
  const altitudeM = geometricM ?? (onGround ? null : notes.read(aircraft, ALTITUDE_NAMES, metresOfFeet));
  const speedMps = notes.read(aircraft, SPEED_NAMES, mpsOfKnots);
  const trackDeg = aircraft.validtrack === 0 ? null : notes.read(aircraft, TRACK_NAMES, directionDeg);
  const headingDeg = trackDeg ?? (onGround ? notes.read(aircraft, ['true_heading'], directionDeg) : null);
  if (!writesZeroForUnknown(aircraft)) return { onGround, altitudeM, speedMps, headingDeg };
  return {
    onGround,
    altitudeM: altitudeM || null,
    speedMps: speedMps || null,
    headingDeg: aircraft.validtrack === 1 ? headingDeg : headingDeg || null,
  };
}

/** Whether the row is of dump1090 by antirez or MalcolmRobb: only their rows have no age. */
function writesZeroForUnknown({ seen_pos, alt_baro, gs }: JsonObject): boolean {
  return seen_pos === undefined && alt_baro === undefined && gs === undefined;
}

/** Radius by navigation uncertainty category (DO-260 table 2-14). 0 is unknown. */
const NUCP_RADIUS_M = [null, 37_040, 18_520, 3704, 1852, 926, 370.4, 185.2, 25, 7.5];

function accuracyM(aircraft: JsonObject, notes: FieldNotes): number | null {
  // readsb writes 0 for "unknown".
  if (aircraft.rc === 0) return null;
  const radiusM = notes.read(aircraft, ['rc'], (radius) => numberWithin(radius, 1, 100_000));
  return radiusM ?? (typeof aircraft.nucp === 'number' ? (NUCP_RADIUS_M[aircraft.nucp] ?? null) : null);
}

function nameOf(hex: unknown, feed: string) {
  if (typeof hex !== 'string') return 'no_identity';
  return hex.startsWith('~') ? aircraftName(hex.slice(1), false, feed) : aircraftName(hex, true, feed);
}

function isPiaOrLadd(dbFlags: unknown): boolean {
  return typeof dbFlags === 'number' && (dbFlags & (PIA | LADD)) !== 0;
}

/** ADS-C arrives through a ground station, like rebroadcasts. */
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

/** `mlat` and `tisb` list the fields that were determined that way. */
function originOf(aircraft: JsonObject): PositionOrigin {
  const { type, mlat, tisb } = aircraft;
  if (Array.isArray(mlat) && mlat.includes('lat')) return 'mlat';
  if (Array.isArray(tisb) && tisb.includes('lat')) return 'tisb';
  const origin = ORIGINS.get(type);
  if (origin !== undefined) return origin;
  // dump1090 without types: fields in neither list come from the aircraft.
  return type === undefined && Array.isArray(mlat) && Array.isArray(tisb) ? 'broadcast' : 'unknown';
}

/** Names of a field, newest first: of readsb, older dump1090 and uat2json, others. */
const ALTITUDE_NAMES = ['alt_baro', 'altitude', 'alt'] as const;
const SPEED_NAMES = ['gs', 'speed', 'spd'] as const;
const TRACK_NAMES = ['track', 'heading'] as const;

const NAMES_READ =
  'hex type lat lon seen_pos alt_geom true_heading category emergency squawk mlat tisb rc nucp dbFlags uat_version ' +
  'validposition validtrack';

/** Known but not served: names, equipment, radio, rates, computed values, the receiver's place. */
const NAMES_LEFT =
  'now flight r t desc ownOp year noRegData ias tas mach wd ws oat tat track_rate roll mag_heading calc_track ' +
  'baro_rate geom_rate vert_rate nav_qnh nav_altitude_mcp nav_altitude_fms nav_heading nav_modes nic version ' +
  'nic_baro nac_p nac_v sil sil_type gva sda alert spi messages seen rssi signal lastPosition rr_lat rr_lon r_dst ' +
  'r_dir dst dir acas_ra gpsOkBefore gpsOkLat gpsOkLon rId recentReceiverIds receiverCount modea modec addrtype';

const AIRCRAFT_FIELDS: ReadonlySet<string> = new Set([
  ...[...ALTITUDE_NAMES, ...SPEED_NAMES, ...TRACK_NAMES],
  ...`${NAMES_READ} ${NAMES_LEFT}`.split(' '),
]);
