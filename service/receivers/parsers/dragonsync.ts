import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type JsonObject, jsonObject, mendObject } from '../../json/mend-object.ts';
import { readRows } from '../../json/read-rows.ts';
import type { Fix, Parsed, Parser, ParserSettings, RefusalCause, TrackKey } from '../fix.ts';
import { readLonLat } from './aircraft-value.ts';
import { type FieldNotes, messageText, numberWithin, ParsedMessage } from './parsed-message.ts';
import {
  type DronePosition,
  droneName,
  isSampleId,
  macDigits,
  readQuantity,
  saysTest,
  textDroneId,
  trackTimeMs,
} from './remote-id.ts';

const MAX_BODY_LENGTH = 1024 * 1024;
/** DragonSync repeats a drone for 60 s. */
const REMEMBERED_MS = 2 * MINUTE_MS;
const MAX_REMEMBERED = 4096;
const ROWS_MAX = 10_000;

/** The fields of `docs/mqtt-schema.md` and of `/drones`. */
const DRAGONSYNC_FIELDS: ReadonlySet<string> = new Set(
  (
    'id id_type description mac caa_id track_type lat lon latitude longitude alt height pressure_altitude height_type ' +
    'speed vspeed speed_multiplier direction pilot_lat pilot_lon home_lat home_lon ua_type ua_type_name op_status ' +
    'ew_dir operator_id operator_id_type rid rid_make rid_model rid_status rid_tracking rid_source ' +
    'rid_lookup_attempted rid_lookup_success horizontal_accuracy vertical_accuracy baro_accuracy speed_accuracy ' +
    'timestamp_accuracy gps_accuracy timestamp rid_timestamp observed_at last_update_time rssi freq freq_mhz ' +
    'transport index runtime seen_by'
  ).split(' '),
);

interface Repeated {
  latestMs: number;
  readonly observedMs: number | undefined;
  readonly lon: number;
  readonly lat: number;
}

/**
 * The MQTT topic `wardragon/drones`, or `GET :8088/drones`. Rows are repeated, so each counts once per `observed_at`.
 * Unknown values are 0.0. Source: alphafox02/DragonSync, `docs/mqtt-schema.md`, `core/drone.py`.
 */
export function makeDragonsync(settings: ParserSettings): Parser {
  const repeats = new Map<TrackKey, Repeated>();

  function isRepeat(fix: Fix, nowMs: number): boolean {
    const known = repeats.get(fix.trackKey);
    repeats.delete(fix.trackKey);
    const repeated =
      known !== undefined &&
      (fix.feedTimeMs === undefined
        ? known.lon === fix.lon && known.lat === fix.lat
        : known.observedMs !== undefined && fix.feedTimeMs <= known.observedMs);
    repeats.set(
      fix.trackKey,
      repeated
        ? { ...known, latestMs: nowMs }
        : { latestMs: nowMs, observedMs: fix.feedTimeMs, lon: fix.lon, lat: fix.lat },
    );
    return repeated;
  }

  function forget(nowMs: number): void {
    for (const [key, { latestMs }] of repeats) {
      if (nowMs - latestMs < REMEMBERED_MS && repeats.size < MAX_REMEMBERED) break;
      repeats.delete(key);
    }
  }

  return {
    parse(message, receivedAt): Parsed {
      if (message.length > MAX_BODY_LENGTH) return { fixes: [], refused: ['too_long'], feedClockMs: undefined };
      const body = readBody(messageText(message));
      if (!body) return { fixes: [], refused: ['unreadable'], feedClockMs: undefined };
      const result = new ParsedMessage(body.unusable);
      for (const row of body.rows) {
        forget(epochMs(receivedAt));
        const fix = readRow(row, settings, receivedAt, result.notes);
        if (typeof fix === 'string' || !isRepeat(fix, epochMs(receivedAt))) result.add(fix);
      }
      const timesMs = result.fixes.flatMap(({ feedTimeMs }) => feedTimeMs ?? []);
      return result.parsed(timesMs.length === 0 ? undefined : Math.max(...timesMs));
    },
  };
}

function readBody(
  text: string,
): { readonly rows: readonly unknown[]; readonly unusable: readonly string[] } | undefined {
  const answer = readRows(text, ['drones'], ROWS_MAX);
  if (answer && !answer.isList) return answer;
  const one = mendObject(text.replaceAll('\0', ' '));
  return one && { rows: [one.object], unusable: one.unusable };
}

function readRow(
  value: unknown,
  { feed, keyOf }: ParserSettings,
  receivedAt: UpstreamInstant,
  notes: FieldNotes,
): Fix | RefusalCause {
  const row = jsonObject(value);
  if (!row) return 'unreadable';
  if (row.track_type === 'aircraft') return 'other_layer';
  if (row.track_type !== 'drone') return 'not_positions';
  const id = typeof row.id === 'string' ? row.id.replace(/^drone-/i, '') : '';
  // Such a row has the kit's own place, for a drone that it can't decode.
  if (/^alert/i.test(id)) return 'station_as_drone';
  const named = nameOf(id, row, feed);
  if (!named) return 'no_identity';
  notes.check(row, DRAGONSYNC_FIELDS);
  const position = readPositionOf(row, receivedAt, notes);
  if (typeof position === 'string') return position;
  const observedS = notes.read(row, ['observed_at', 'last_update_time'], (time) =>
    numberWithin(time, 1, Number.MAX_SAFE_INTEGER / 1000),
  );
  return {
    ...position,
    layer: 'rid',
    trackKey: keyOf('rid', named.name),
    feedTimeMs: observedS === null ? undefined : Math.round(observedS * 1000),
    testBroadcast: named.isSample || saysTest(textField(row.description)),
  };
}

function nameOf(id: string, row: JsonObject, feed: string): { name: string; isSample: boolean } | undefined {
  const idMac = macDigits(id);
  // Without a serial number, the id is the MAC address.
  const kind = /^CAA/i.test(textField(row.id_type)) ? 'registration' : 'serial';
  const said =
    (idMac === undefined ? textDroneId(kind, id) : undefined) ?? textDroneId('registration', textField(row.caa_id));
  if (said) return { name: droneName(said), isSample: isSampleId(said) };
  const mac = idMac ?? macDigits(textField(row.mac));
  return mac === undefined ? undefined : { name: `mac:${feed}:${mac}`, isSample: false };
}

function readPositionOf(row: JsonObject, receivedAt: UpstreamInstant, notes: FieldNotes): DronePosition | RefusalCause {
  const position = readLonLat(row.lon, row.lat);
  if (typeof position === 'string') return position;
  const status = textField(row.op_status);
  return {
    ...position,
    trackTimeMs: trackTimeMs(sinceHourS(row.rid_timestamp ?? row.timestamp), receivedAt),
    altitudeM:
      notZero(readQuantity(row, 'altitude', ['alt'], notes)) ??
      notZero(readQuantity(row, 'altitude', ['pressure_altitude'], notes)),
    heightAglM: isAboveGround(row.height_type) ? notZero(readQuantity(row, 'altitude', ['height'], notes)) : null,
    speedMps: notZero(readQuantity(row, 'speed', ['speed'], notes)),
    headingDeg: saidHeadingDeg(readQuantity(row, 'heading', ['direction'], notes)),
    onGround: /^ground/i.test(status),
    origin: 'broadcast',
    accuracyM: accuracyM(textField(row.horizontal_accuracy)),
    emergencyState: /^emergency/i.test(status) ? 'emergency' : null,
  };
}

function notZero(value: number | null): number | null {
  return value === 0 ? null : value;
}

/** Drones send whole degrees. Fractions are computed by the kit, and 0 may be unknown. */
function saidHeadingDeg(headingDeg: number | null): number | null {
  return headingDeg !== null && Number.isInteger(headingDeg) ? notZero(headingDeg) : null;
}

function isAboveGround(heightType: unknown): boolean {
  return heightType === 1 || /^(1|agl|above ground.*)$/i.test(textField(heightType));
}

/** Reads "38 min 27.0 s" since the full hour. A bare number could be seconds or tenths. */
function sinceHourS(timestamp: unknown): number | undefined {
  const match = /^(\d{1,2}) min (\d{1,2}(?:\.\d+)?) s$/.exec(textField(timestamp));
  return match ? Number(match[1]) * 60 + Number(match[2]) : undefined;
}

/** Reads "<10 m", "< 3 m" or "<18.52 km (10 NM)". */
function accuracyM(text: string): number | null {
  const match = /^<\s*(\d+(?:\.\d+)?)\s*(m|km|nm)\b/i.exec(text);
  if (!match) return null;
  const unitM = { m: 1, km: 1000, nm: 1852 }[match[2]!.toLowerCase()];
  return unitM === undefined ? null : Math.round(Number(match[1]) * unitM * 10) / 10;
}

function textField(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
