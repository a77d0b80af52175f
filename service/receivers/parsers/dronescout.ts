import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Fix, Parsed, Parser, ParserSettings, RefusalCause } from '../fix.ts';
import { macDigits } from './drone-id.ts';
import { DroneMerger } from './drone-merger.ts';
import { type JsonObject, jsonObject, numberWithin } from './json-value.ts';
import { readOdidStruct } from './odid-struct.ts';

const MAX_PAYLOAD_LENGTH = 256 * 1024;
/** Base64 of the struct is 1228 characters. */
const MAX_STRUCT_LENGTH = 2048;

/**
 * What DroneScout receivers (ds230, ds240, SDK, Bridge) publish by MQTT: JSON with protocol 1.0, of which `data` has a
 * received Remote ID message with all that the receiver knows of its sender. Status, the sensor's place, its mobile
 * network and aircraft are refused. A payload may end in NUL or a line feed and hold several objects without anything
 * between them. Source: BluemarkInnovations/RemoteID-MQTT-subscriber, `mqtt_sub.py`.
 */
export function makeDronescout(settings: ParserSettings): Parser {
  const merger = new DroneMerger(settings);

  function parseObject(object: JsonObject, receivedAt: UpstreamInstant) {
    if (object.protocol !== 1) return refuse('unreadable');
    if (jsonObject(object.aircraft)) return refuse('other_layer');
    const data = jsonObject(object.data);
    if (typeof data?.UASdata !== 'string') return refuse('not_positions');
    if (data.UASdata.length > MAX_STRUCT_LENGTH) return refuse('too_long');
    const odid = readOdidStruct(Buffer.from(data.UASdata, 'base64'), receivedAt);
    if (!odid) return refuse('unreadable');
    const mac = data['MAC address'];
    const feedTimeMs = timestampMs(data);
    return merger.hear({ mac: typeof mac === 'string' ? macDigits(mac) : undefined, feedTimeMs, ...odid }, receivedAt);
  }

  return {
    parse(message, receivedAt): Parsed {
      const fixes: Fix[] = [];
      const refused: RefusalCause[] = [];
      let feedClockMs: number | undefined;
      const objects = objectsIn(message);
      if (typeof objects === 'string') return { fixes, refused: [objects], feedClockMs };
      for (const object of objects) {
        if (!object) {
          refused.push('unreadable');
          continue;
        }
        const merged = parseObject(object, receivedAt);
        fixes.push(...merged.fixes);
        refused.push(...merged.refused);
        feedClockMs = timestampMs(jsonObject(object.data) ?? jsonObject(object.status)) ?? feedClockMs;
      }
      return { fixes, refused, feedClockMs };
    },
    due: (now) => ({ fixes: merger.due(now), refused: [], feedClockMs: undefined }),
  };
}

function refuse(cause: RefusalCause): { fixes: Fix[]; refused: RefusalCause[] } {
  return { fixes: [], refused: [cause] };
}

/** The sensor's clock when it received the message, ms since 1970. A sensor that has no time says 0. */
function timestampMs(part: JsonObject | undefined): number | undefined {
  const timestamp = numberWithin(part?.timestamp, 1, Number.MAX_SAFE_INTEGER);
  return timestamp === null ? undefined : Math.round(timestamp);
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The objects of a payload, undefined for one that cannot be read. */
function objectsIn(message: string | Uint8Array): (JsonObject | undefined)[] | RefusalCause {
  if (message.length > MAX_PAYLOAD_LENGTH) return 'too_long';
  if (typeof message !== 'string' && isLzma(message)) return 'compressed';
  let text: string;
  try {
    text = typeof message === 'string' ? message : strictUtf8.decode(message);
  } catch {
    return 'unreadable';
  }
  // NUL, which a sensor ends its text with, is no white space.
  const trimmed = text.replaceAll('\0', ' ').trim();
  const whole = parsed(trimmed);
  if (whole) return [whole];
  return trimmed.split(/(?<=\})\s*(?=\{)/).map(parsed);
}

function parsed(text: string): JsonObject | undefined {
  try {
    return jsonObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The beginnings of .xz and .lzma. */
function isLzma(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xfd && bytes[1] === 0x37) || (bytes[0] === 0x5d && bytes[1] === 0 && bytes[2] === 0);
}
