import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { JsonObject } from '../../json/mend-object.ts';
import { readObjects } from '../../json/read-rows.ts';
import type { Parsed, Parser, ParserSettings, RefusalCause } from '../fix.ts';
import { readLonLat } from './aircraft-value.ts';
import { DroneMerger } from './drone-merger.ts';
import { type FieldNotes, messageText, ParsedMessage } from './parsed-message.ts';
import { type DronePosition, macDigits, readQuantity, textDroneId } from './remote-id.ts';

const MAX_LINE_LENGTH = 4096;
const ROWS_MAX = 16;

const SPEED_NAMES = ['speed', 'speed_horizontal', 'drone_speed', 'horizontal_speed'] as const;
const HEADING_NAMES = ['heading', 'drone_heading', 'direction'] as const;
const HEIGHT_AGL = 'height_agl';
const UNTYPED_HEIGHT_NAMES = ['height', 'drone_height'] as const;
const HEIGHT_NAMES = [HEIGHT_AGL, ...UNTYPED_HEIGHT_NAMES] as const;

/** Known but not served: radio, board, kind of aircraft, places of pilot and take-off. */
const MESH_MAPPER_FIELDS: ReadonlySet<string> = new Set([
  ...[...SPEED_NAMES, ...HEADING_NAMES, ...HEIGHT_NAMES],
  ...(
    'mac rssi drone_lat drone_long drone_altitude basic_id status height_type pilot_lat pilot_long home_lat home_long ' +
    'operator_id band channel node_id type interface rate noise_floor id_type ua_type product_type speed_vertical ' +
    'vertical_speed area_count area_radius area_ceiling area_floor module source label'
  ).split(' '),
]);

/**
 * USB lines of an ESP32 with colonelpanichacks/drone-mesh-mapper or a derived firmware: one JSON object per message,
 * without a time, with 0 for missing fields.
 */
export function makeMeshMapper(settings: ParserSettings): Parser {
  const merger = new DroneMerger(settings);

  function addRow(row: JsonObject, mac: string, receivedAt: UpstreamInstant, notes: FieldNotes) {
    notes.check(row, MESH_MAPPER_FIELDS);
    const id = typeof row.basic_id === 'string' ? textDroneId('serial', row.basic_id) : undefined;
    const position = readRow(row, notes);
    return merger.add(
      { mac: macDigits(mac), ids: id ? [id] : [], position, feedTimeMs: undefined, saysTest: undefined },
      receivedAt,
    );
  }

  return {
    parse(message, receivedAt): Parsed {
      if (message.length > MAX_LINE_LENGTH) return { fixes: [], refused: ['too_long'], feedClockMs: undefined };
      const line = messageText(message).trim();
      const cause = line.includes('"drone_lat"') ? 'unreadable' : 'not_positions';
      const { objects, unusable } = readObjects(line, ROWS_MAX);
      const result = new ParsedMessage();
      for (const row of objects) {
        if (typeof row?.mac === 'string') result.addAll(addRow(row, row.mac, receivedAt, result.notes));
        else result.add(cause);
      }
      if (result.fixes.length > 0) for (const name of unusable) result.notes.unusable(name);
      return result.parsed(undefined);
    },
    due: (now) => ({ fixes: merger.due(now), refused: [], feedClockMs: undefined }),
  };
}

const STATUS_GROUND = 1;
const STATUS_EMERGENCY = 3;

function readRow(row: JsonObject, notes: FieldNotes): DronePosition | RefusalCause {
  const position = readLonLat(row.drone_long, row.drone_lat);
  if (typeof position === 'string') return position;
  return {
    ...position,
    trackTimeMs: undefined,
    // 0 means "not received": a drone at sea level has no altitude.
    altitudeM: readQuantity(row, 'altitude', ['drone_altitude'], notes) || null,
    heightAglM: heightAglM(row, notes),
    // Speed and heading share a message with the position, so their 0 was received.
    speedMps: readQuantity(row, 'speed', SPEED_NAMES, notes),
    headingDeg: readQuantity(row, 'heading', HEADING_NAMES, notes),
    onGround: row.status === STATUS_GROUND,
    origin: 'broadcast',
    accuracyM: null,
    emergencyState: row.status === STATUS_EMERGENCY ? 'emergency' : null,
  };
}

const HEIGHT_ABOVE_TAKE_OFF = 0;
const HEIGHT_ABOVE_GROUND = 1;

/** Heights are above ground or take-off: only `height_type` says which. */
function heightAglM(row: JsonObject, notes: FieldNotes): number | null {
  if (row.height_type === HEIGHT_ABOVE_TAKE_OFF) return null;
  const isAboveGround = row.height_type === HEIGHT_ABOVE_GROUND;
  if (!isAboveGround) for (const name of UNTYPED_HEIGHT_NAMES) if (row[name]) notes.unusable(name);
  return readQuantity(row, 'altitude', isAboveGround ? HEIGHT_NAMES : [HEIGHT_AGL], notes);
}
