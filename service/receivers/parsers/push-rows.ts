import { epochMs, parseInstant } from '#lib/time/instant.ts';
import { type JsonObject, jsonObject } from '../../json/mend-object.ts';
import type { Fix, Parsed, Parser, ParserSettings, RefusalCause } from '../fix.ts';
import { type AircraftPolicy, aircraftName, directionDeg, readLonLat } from './aircraft-value.ts';
import { type FieldNotes, messageText, numberWithin, ParsedMessage } from './parsed-message.ts';
import { type DroneId, droneName, isSampleId, macDigits, readQuantity, saysTest, textDroneId } from './remote-id.ts';

const ROWS_MAX = 1000;
/** Maximum of ADS-B's supersonic format, rounded down. */
const AIRCRAFT_SPEED_MAX_MPS = 2100;

export interface PushRowsSettings extends ParserSettings {
  readonly policy?: AircraftPolicy;
}

/**
 * The body of our push endpoint, in the contract's names and units (docs/receivers.md). Unknown fields are ignored, so
 * rows of heytensai/remoteid-web-ui can be forwarded unchanged.
 */
export function makePushRows(settings: PushRowsSettings): Parser {
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

export function readPushBody(message: string | Uint8Array): PushBody | 'unreadable' | 'too_long' {
  let body: unknown;
  try {
    body = JSON.parse(messageText(message));
  } catch {
    return 'unreadable';
  }
  const rows = Array.isArray(body) ? body : jsonObject(body)?.observations;
  if (!Array.isArray(rows)) return 'unreadable';
  return rows.length > ROWS_MAX ? 'too_long' : { rows, sentAt: jsonObject(body)?.sent_at };
}

export function parsePushRows({ rows, sentAt }: PushBody, settings: PushRowsSettings): Parsed {
  const result = new ParsedMessage();
  for (const value of rows) {
    const row = jsonObject(value);
    result.add(row ? readRow(row, settings, result.notes) : 'unreadable');
  }
  return result.parsed(timeMs(sentAt));
}

const PUSH_FIELDS: ReadonlySet<string> = new Set(
  (
    'observed_at timestamp longitude latitude serial_number uas_id registration_id mac_address layer icao altitude_m ' +
    'altitude height_agl_m speed_mps heading_deg accuracy_m on_ground emergency_state test_broadcast self_id origin'
  ).split(' '),
);

function readRow(row: JsonObject, settings: PushRowsSettings, notes: FieldNotes): Fix | RefusalCause {
  notes.check(row, PUSH_FIELDS);
  const isDrone = row.layer === undefined || row.layer === 'rid';
  if (!isDrone && row.layer !== 'adsb') return 'unreadable';
  const named = isDrone ? droneOf(row, settings.feed) : aircraftOf(row, settings.feed);
  if (typeof named === 'string') return named;
  const feedTimeMs = timeMs(row.observed_at ?? row.timestamp);
  // Without a time, a row could be old, and would count twice if sent twice.
  if (feedTimeMs === undefined) return 'unreadable';
  const position = readLonLat(row.longitude, row.latitude);
  if (typeof position === 'string') return position;
  return {
    layer: isDrone ? 'rid' : 'adsb',
    trackKey: settings.keyOf(isDrone ? 'rid' : 'adsb', named.name),
    feedTimeMs,
    trackTimeMs: undefined,
    ...position,
    altitudeM: readQuantity(row, 'altitude', ['altitude_m', 'altitude'], notes),
    heightAglM: readQuantity(row, 'altitude', ['height_agl_m'], notes),
    speedMps: isDrone
      ? readQuantity(row, 'speed', ['speed_mps'], notes)
      : notes.read(row, ['speed_mps'], (speed) => numberWithin(speed, 0, AIRCRAFT_SPEED_MAX_MPS)),
    headingDeg: isDrone
      ? readQuantity(row, 'heading', ['heading_deg'], notes)
      : notes.read(row, ['heading_deg'], directionDeg),
    onGround: row.on_ground === true,
    origin: row.origin === 'mlat' || row.origin === 'tisb' || row.origin === 'rebroadcast' ? row.origin : 'broadcast',
    accuracyM: notes.read(row, ['accuracy_m'], (radius) => numberWithin(radius, 0.1, 100_000)),
    emergencyState:
      !isDrone && settings.policy?.emergency === 'unknown'
        ? 'unknown'
        : notes.read(row, ['emergency_state'], emergencyOf),
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

/** The states of either layer. Other texts could be anything. */
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
