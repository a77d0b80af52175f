import type { UpstreamInstant } from '#lib/time/instant.ts';
import { type JsonObject, jsonObject } from '../../json/mend-object.ts';
import { readObjects } from '../../json/read-rows.ts';
import type { Fix, Parsed, Parser, ParserSettings, RefusalCause } from '../fix.ts';
import { DroneMerger } from './drone-merger.ts';
import { readOdidStruct } from './odid-struct.ts';
import { type FieldNotes, messageText, numberWithin, ParsedMessage } from './parsed-message.ts';
import { macDigits } from './remote-id.ts';

const MAX_PAYLOAD_LENGTH = 256 * 1024;
/** The base64 of a struct has 1228 characters. */
const MAX_STRUCT_LENGTH = 2048;
/** A message has about 1.5 KiB. */
const OBJECTS_MAX = 256;

const DRONESCOUT_FIELDS: ReadonlySet<string> = new Set([
  ...['sensor ID', 'RSSI', 'channel', 'timestamp', 'MAC address', 'type', 'UASdata', 'extra'],
]);

/**
 * DroneScout receivers (ds230, ds240, SDK, Bridge), protocol 1.0: `data` has a received Remote ID message. Status, the
 * sensor's place and aircraft are refused. A payload may hold several objects without separators, and end in NUL.
 * Source: BluemarkInnovations/RemoteID-MQTT-subscriber, `mqtt_sub.py`.
 */
export function makeDronescout(settings: ParserSettings): Parser {
  const merger = new DroneMerger(settings);

  function parseObject(object: JsonObject, receivedAt: UpstreamInstant, notes: FieldNotes) {
    if (object.protocol !== 1) return refuse('unreadable');
    if (jsonObject(object.aircraft)) return refuse('other_layer');
    const data = jsonObject(object.data);
    if (typeof data?.UASdata !== 'string') return refuse('not_positions');
    notes.check(data, DRONESCOUT_FIELDS);
    if (data.UASdata.length > MAX_STRUCT_LENGTH) return refuse('too_long');
    const odid = readOdidStruct(Buffer.from(data.UASdata, 'base64'), receivedAt);
    if (!odid) return refuse('unreadable');
    const mac = data['MAC address'];
    const feedTimeMs = timestampMs(data);
    return merger.add({ mac: typeof mac === 'string' ? macDigits(mac) : undefined, feedTimeMs, ...odid }, receivedAt);
  }

  return {
    parse(message, receivedAt): Parsed {
      if (message.length > MAX_PAYLOAD_LENGTH) return { ...refuse('too_long'), feedClockMs: undefined };
      if (typeof message !== 'string' && isLzma(message)) return { ...refuse('compressed'), feedClockMs: undefined };
      const { objects, unusable } = readObjects(messageText(message).replaceAll('\0', ' '), OBJECTS_MAX);
      const result = new ParsedMessage(unusable);
      let feedClockMs: number | undefined;
      for (const object of objects) {
        if (!object) {
          result.add('unreadable');
          continue;
        }
        result.addAll(parseObject(object, receivedAt, result.notes));
        feedClockMs = timestampMs(jsonObject(object.data) ?? jsonObject(object.status)) ?? feedClockMs;
      }
      return result.parsed(feedClockMs);
    },
    due: (now) => ({ fixes: merger.due(now), refused: [], feedClockMs: undefined }),
  };
}

function refuse(cause: RefusalCause): { fixes: Fix[]; refused: RefusalCause[] } {
  return { fixes: [], refused: [cause] };
}

/** The time of reception, ms since 1970. 0 means that the sensor has no time. */
function timestampMs(part: JsonObject | undefined): number | undefined {
  const timestamp = numberWithin(part?.timestamp, 1, Number.MAX_SAFE_INTEGER);
  return timestamp === null ? undefined : Math.round(timestamp);
}

/** Whether the bytes begin as .xz or .lzma. */
function isLzma(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xfd && bytes[1] === 0x37) || (bytes[0] === 0x5d && bytes[1] === 0 && bytes[2] === 0);
}
