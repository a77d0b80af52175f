import type { Parsed, Parser, ParserSettings, RefusalCause } from '../fix.ts';
import { readPosition } from './aircraft-value.ts';
import { macDigits, textDroneId } from './drone-id.ts';
import { DroneMerger } from './drone-merger.ts';
import { type JsonObject, parseJsonObject, textOf } from './json-value.ts';
import { type DronePosition, knownAltitudeM } from './remote-id-values.ts';

const MAX_LINE_LENGTH = 4096;

/**
 * The lines that an ESP32 with the firmware of colonelpanichacks/drone-mesh-mapper writes to USB: a JSON object for each
 * received message, with what the board knows of its sender. It has no time, speed or heading; what the board has not
 * received is 0. Banners, heartbeats and its own log stand between them.
 */
export function makeMeshMapper(settings: ParserSettings): Parser {
  const merger = new DroneMerger(settings);
  return {
    parse(message, receivedAt): Parsed {
      if (message.length > MAX_LINE_LENGTH) return refuse('too_long');
      const line = textOf(message).trim();
      const row = parseJsonObject(line);
      if (typeof row?.mac !== 'string') return refuse(line.includes('"drone_lat"') ? 'unreadable' : 'not_positions');
      const id = typeof row.basic_id === 'string' ? textDroneId('serial', row.basic_id) : undefined;
      const merged = merger.hear(
        {
          mac: macDigits(row.mac),
          ids: id ? [id] : [],
          position: readRow(row),
          feedTimeMs: undefined,
          saysTest: undefined,
        },
        receivedAt,
      );
      return { ...merged, feedClockMs: undefined };
    },
    due: (now) => ({ fixes: merger.due(now), refused: [], feedClockMs: undefined }),
  };
}

function refuse(cause: RefusalCause): Parsed {
  return { fixes: [], refused: [cause], feedClockMs: undefined };
}

function readRow({ drone_lat, drone_long, drone_altitude }: JsonObject): DronePosition | RefusalCause {
  const position = readPosition(drone_long, drone_lat);
  if (typeof position === 'string') return position;
  return {
    ...position,
    trackTimeMs: undefined,
    // The board writes 0 for an altitude that it did not receive: a drone at sea level looks the same.
    altitudeM: knownAltitudeM(drone_altitude) || null,
    heightAglM: null,
    speedMps: null,
    headingDeg: null,
    onGround: false,
    origin: 'broadcast',
    accuracyM: null,
    emergencyState: null,
  };
}
