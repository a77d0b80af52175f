import { type JsonObject, jsonObject } from '../../json/mend-object.ts';
import { readObjects } from '../../json/read-rows.ts';
import type { Fix, Parsed, Parser, ParserSettings, PositionOrigin, RefusalCause } from '../fix.ts';
import { clockMs } from './aircraft-row.ts';
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
import { type FieldNotes, messageText, ParsedMessage } from './parsed-message.ts';

export interface UatSettings extends ParserSettings {
  readonly policy?: AircraftPolicy;
}

/** The qualifiers of dump978. A fixed beacon is an obstacle. */
const QUALIFIERS: ReadonlyMap<unknown, { readonly isIcao: boolean; readonly origin: PositionOrigin }> = new Map([
  ['adsb_icao', { isIcao: true, origin: 'broadcast' }],
  ['adsb_other', { isIcao: false, origin: 'broadcast' }],
  ['vehicle', { isIcao: false, origin: 'broadcast' }],
  ['adsr_other', { isIcao: false, origin: 'rebroadcast' }],
  ['tisb_icao', { isIcao: true, origin: 'tisb' }],
  ['tisb_trackfile', { isIcao: false, origin: 'tisb' }],
]);

/** Radius by navigation integrity category (DO-282B 2.2.4.5.2.4). 0 is unknown. */
const NIC_RADIUS_M = [null, 37_040, 14_816, 7408, 3704, 1852, 1111.2, 370.4, 185.2, 75, 25, 7.5];

const UAT_FIELDS: ReadonlySet<string> = new Set(
  (
    'address address_qualifier position pressure_altitude geometric_altitude nic airground_state north_velocity ' +
    'east_velocity vv_src vertical_velocity_barometric vertical_velocity_geometric ground_speed magnetic_heading ' +
    'true_heading true_track aircraft_size gps_lateral_offset gps_longitudinal_offset gps_position_offset_applied ' +
    'utc_coupled uplink_feedback tisb_site_id emitter_category callsign flightplan_id emergency mops_version sil ' +
    'transmit_mso sda nac_p nac_v nic_baro capability_codes operational_modes sil_supplement gva single_antenna ' +
    'nic_supplement selected_altitude_type selected_altitude_mcp selected_altitude_fms barometric_pressure_setting ' +
    'selected_heading mode_indicators metadata'
  ).split(' '),
);

/** A line may have several messages: some programs join lines. */
const MESSAGES_MAX = 100;

/** Makes a parser of dump978's `--json-port`. Messages are not joined. */
export function makeUat({ feed, keyOf, policy = {} }: UatSettings): Parser {
  function readMessage(line: JsonObject, feedClockMs: number | undefined, notes: FieldNotes): Fix | RefusalCause {
    notes.check(line, UAT_FIELDS);
    if (line.address_qualifier === 'fixed_beacon' || isObstacle(line.emitter_category)) return 'obstacle';
    const qualifier = QUALIFIERS.get(line.address_qualifier);
    if (qualifier === undefined) return 'no_identity';
    const named = aircraftName(line.address, qualifier.isIcao, feed);
    if (typeof named === 'string') return named;
    const { lon, lat } = jsonObject(line.position) ?? {};
    const position = readLonLat(lon, lat);
    if (typeof position === 'string') return position;

    const onGround = line.airground_state === 'ground';
    return {
      layer: 'adsb',
      trackKey: keyOf('adsb', named.name),
      feedTimeMs: feedClockMs,
      trackTimeMs: undefined,
      ...position,
      altitudeM: notes.read(line, ['geometric_altitude', 'pressure_altitude'], metresOfFeet),
      heightAglM: null,
      speedMps: notes.read(line, ['ground_speed'], mpsOfKnots),
      headingDeg: notes.read(line, onGround ? ['true_track', 'true_heading'] : ['true_track'], directionDeg),
      onGround,
      origin: qualifier.origin,
      accuracyM: (typeof line.nic === 'number' ? NIC_RADIUS_M[line.nic] : null) ?? null,
      emergencyState: readEmergency(line.emergency, line.flightplan_id, policy, notes),
      testBroadcast: false,
    };
  }

  return {
    parse(message): Parsed {
      const { objects, unusable } = readObjects(messageText(message), MESSAGES_MAX);
      const result = new ParsedMessage(unusable);
      let feedClockMs: number | undefined;
      for (const line of objects) {
        const sentMs = clockMs(jsonObject(line?.metadata)?.received_at);
        result.add(line === undefined ? 'unreadable' : readMessage(line, sentMs, result.notes));
        feedClockMs = sentMs ?? feedClockMs;
      }
      return result.parsed(feedClockMs);
    },
  };
}
