import { epochMs, parseInstant } from '#lib/time/instant.ts';
import type { Fix, Parsed, Parser, ParserSettings, RefusalCause } from '../fix.ts';
import { aircraftName, directionDeg, readPosition } from './aircraft-value.ts';
import { type DroneId, droneName, macDigits, textDroneId } from './drone-id.ts';
import { type JsonObject, jsonObject, numberWithin, textOf } from './json-value.ts';
import { knownAltitudeM, knownHeadingDeg, knownSpeedMps } from './remote-id-values.ts';
import { isSampleId, saysTest } from './test-broadcast.ts';

const ROWS_MAX = 1000;

/**
 * The body of our own push endpoint: a list of rows, or `{"sent_at", "observations": [rows]}`, in the contract's names and
 * units; docs/receivers.md has them. Fields that it does not know are not looked at, so the rows of a collector that also
 * sends operators' places (heytensai/remoteid-web-ui) can be passed on as they are.
 */
export function makePushRows(settings: ParserSettings): Parser {
  return {
    parse(message): Parsed {
      const body = readPushBody(message);
      return typeof body === 'string'
        ? { fixes: [], refused: [body], feedClockMs: undefined }
        : parsePushRows(body, settings);
    },
  };
}

export interface PushBody {
  readonly rows: readonly unknown[];
  readonly sentAt: unknown;
}

/** @returns why the body has no rows: it is none, or has too many */
export function readPushBody(message: string | Uint8Array): PushBody | 'unreadable' | 'too_long' {
  let body: unknown;
  try {
    body = JSON.parse(textOf(message));
  } catch {
    return 'unreadable';
  }
  const rows = Array.isArray(body) ? body : jsonObject(body)?.observations;
  if (!Array.isArray(rows)) return 'unreadable';
  return rows.length > ROWS_MAX ? 'too_long' : { rows, sentAt: jsonObject(body)?.sent_at };
}

export function parsePushRows({ rows, sentAt }: PushBody, settings: ParserSettings): Parsed {
  const fixes: Fix[] = [];
  const refused: RefusalCause[] = [];
  for (const value of rows) {
    const row = jsonObject(value);
    const fix = row ? readRow(row, settings) : 'unreadable';
    if (typeof fix === 'string') refused.push(fix);
    else fixes.push(fix);
  }
  return { fixes, refused, feedClockMs: timeMs(sentAt) };
}

function readRow(row: JsonObject, settings: ParserSettings): Fix | RefusalCause {
  const isDrone = row.layer === undefined || row.layer === 'rid';
  if (!isDrone && row.layer !== 'adsb') return 'unreadable';
  const named = isDrone ? droneOf(row, settings.feed) : aircraftOf(row, settings.feed);
  if (typeof named === 'string') return named;
  const feedTimeMs = timeMs(row.observed_at ?? row.timestamp);
  // Without its time a row could be of any time, and sent twice it would be two.
  if (feedTimeMs === undefined) return 'unreadable';
  const position = readPosition(row.longitude, row.latitude);
  if (typeof position === 'string') return position;
  return {
    layer: isDrone ? 'rid' : 'adsb',
    trackKey: settings.keyOf(isDrone ? 'rid' : 'adsb', named.name),
    feedTimeMs,
    trackTimeMs: undefined,
    ...position,
    altitudeM: knownAltitudeM(row.altitude_m ?? row.altitude),
    heightAglM: knownAltitudeM(row.height_agl_m),
    speedMps: isDrone ? knownSpeedMps(row.speed_mps) : numberWithin(row.speed_mps, 0, 2100),
    headingDeg: isDrone ? knownHeadingDeg(row.heading_deg) : directionDeg(row.heading_deg),
    onGround: row.on_ground === true,
    origin: row.origin === 'mlat' || row.origin === 'tisb' || row.origin === 'rebroadcast' ? row.origin : 'broadcast',
    accuracyM: numberWithin(row.accuracy_m, 0.1, 100_000),
    emergencyState: emergencyOf(row.emergency_state),
    testBroadcast:
      row.test_broadcast === true || named.isSample || (typeof row.self_id === 'string' && saysTest(row.self_id)),
  };
}

interface Named {
  readonly name: string;
  readonly isSample: boolean;
}

function aircraftOf({ icao }: JsonObject, feed: string): Named | RefusalCause {
  const named = aircraftName(icao, true, feed);
  return typeof named === 'string' ? named : { ...named, isSample: false };
}

function droneOf(row: JsonObject, feed: string): Named | RefusalCause {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const ids: (DroneId | undefined)[] = [
    textDroneId('serial', text(row.serial_number) || text(row.uas_id)),
    textDroneId('registration', text(row.registration_id)),
  ];
  const id = ids.find((candidate) => candidate !== undefined);
  if (id) return { name: droneName(id), isSample: isSampleId(id) };
  const mac = macDigits(text(row.mac_address));
  return mac === undefined ? 'no_identity' : { name: `mac:${feed}:${mac}`, isSample: false };
}

/** The states that either layer has; a text of somebody else's could be anything. */
const emergencies: ReadonlySet<unknown> = new Set([
  ...['none', 'general', 'lifeguard', 'minfuel', 'nordo', 'unlawful', 'downed', 'reserved'],
  'emergency',
]);

function emergencyOf(state: unknown): string | null {
  return emergencies.has(state) ? (state as string) : null;
}

/** RFC 3339 with a timezone, or ms since 1970. */
function timeMs(time: unknown): number | undefined {
  if (typeof time !== 'string') {
    const sinceEpochMs = numberWithin(time, 1, 253_402_300_799_999);
    return sinceEpochMs === null ? undefined : Math.round(sinceEpochMs);
  }
  const instant = parseInstant(time);
  return instant === undefined ? undefined : epochMs(instant);
}
