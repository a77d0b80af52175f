import type { Fix, Parsed, Parser, ParserSettings, PositionOrigin, RefusalCause } from '../fix.ts';
import { clockMs } from './aircraft-row.ts';
import {
  type AircraftPolicy,
  aircraftName,
  directionDeg,
  emergencyState,
  metresOfFeet,
  mpsOfKnots,
  readPosition,
} from './aircraft-value.ts';
import { jsonObject, parseJsonObject } from './json-value.ts';

export interface UatSettings extends ParserSettings {
  readonly policy?: AircraftPolicy;
}

/** Address qualifiers of dump978. A fixed beacon is an obstacle, no aircraft. */
const QUALIFIERS: ReadonlyMap<unknown, { readonly isIcao: boolean; readonly origin: PositionOrigin }> = new Map([
  ['adsb_icao', { isIcao: true, origin: 'broadcast' }],
  ['adsb_other', { isIcao: false, origin: 'broadcast' }],
  ['vehicle', { isIcao: false, origin: 'broadcast' }],
  ['adsr_other', { isIcao: false, origin: 'rebroadcast' }],
  ['tisb_icao', { isIcao: true, origin: 'tisb' }],
  ['tisb_trackfile', { isIcao: false, origin: 'tisb' }],
]);

/** Radius of containment by navigation integrity category (DO-282B 2.2.4.5.2.4), in metres; 0 is unknown. */
const NIC_RADIUS_M = [null, 37_040, 14_816, 7408, 3704, 1852, 1111.2, 370.4, 185.2, 75, 25, 7.5];

/** dump978's `--json-port`: each UAT message as a line. A message has what it has; nothing is joined. */
export function makeUat({ feed, keyOf, policy = {} }: UatSettings): Parser {
  return {
    parse(message): Parsed {
      const line = parseJsonObject(message);
      if (line === undefined) return { fixes: [], refused: ['unreadable'], feedClockMs: undefined };
      const feedClockMs = clockMs(jsonObject(line.metadata)?.received_at);
      const refuse = (cause: RefusalCause): Parsed => ({ fixes: [], refused: [cause], feedClockMs });

      if (line.address_qualifier === 'fixed_beacon') return refuse('not_positions');
      const qualifier = QUALIFIERS.get(line.address_qualifier);
      if (qualifier === undefined) return refuse('no_identity');
      const named = aircraftName(line.address, qualifier.isIcao, feed);
      if (typeof named === 'string') return refuse(named);
      const { lon, lat } = jsonObject(line.position) ?? {};
      const position = readPosition(lon, lat);
      if (typeof position === 'string') return refuse(position);

      const onGround = line.airground_state === 'ground';
      const fix: Fix = {
        layer: 'adsb',
        trackKey: keyOf('adsb', named.name),
        feedTimeMs: feedClockMs,
        trackTimeMs: undefined,
        ...position,
        altitudeM: metresOfFeet(line.geometric_altitude) ?? metresOfFeet(line.pressure_altitude),
        heightAglM: null,
        speedMps: mpsOfKnots(line.ground_speed),
        headingDeg: directionDeg(line.true_track) ?? (onGround ? directionDeg(line.true_heading) : null),
        onGround,
        origin: qualifier.origin,
        accuracyM: (typeof line.nic === 'number' ? NIC_RADIUS_M[line.nic] : null) ?? null,
        emergencyState: emergencyState(line.emergency, line.flightplan_id, policy),
        testBroadcast: false,
      };
      return { fixes: [fix], refused: [], feedClockMs };
    },
  };
}
