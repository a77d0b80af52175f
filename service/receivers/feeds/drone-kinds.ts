import { SECOND_MS } from '#lib/time/time-units.ts';
import type { MakeParser } from '../fix.ts';
import { makeDragonsync } from '../parsers/dragonsync.ts';
import { makeDronescout } from '../parsers/dronescout.ts';
import { makeMeshMapper } from '../parsers/mesh-mapper.ts';
import {
  DRONE_CAUSES,
  type FeedKind,
  type FeedWords,
  HTTPS_INSTEAD,
  hostAndPort,
  hostOf,
  hostProblem,
  plainPath,
  SBS_ELSEWHERE,
} from './feed-kind.ts';
import { basicAuthorization, httpPoll } from './transports/http-poll.ts';
import { type MqttOptions, mqttMessages } from './transports/mqtt-messages.ts';
import { serialLines } from './transports/serial-lines.ts';

const MQTT_PORT = 1883;
const MQTTS_PORT = 8883;
const DRAGONSYNC_PORT = 8088;
const BAUD_DEFAULT = 115_200;

const DRONESCOUT_WORDS: FeedWords = {
  expected: 'messages of DroneScout',
  json: () => 'its JSON is not that of DroneScout (protocol 1.0)',
  sbs: SBS_ELSEWHERE,
  without: {
    ...DRONE_CAUSES,
    not_positions: 'it sends states of the sensor, and no Remote ID',
    compressed: 'it sends compressed messages (LZMA): switch compression off',
  },
};

const DRAGONSYNC_WORDS: FeedWords = {
  expected: 'a list of drones',
  json: () => 'its JSON is damaged or cut',
  sbs: SBS_ELSEWHERE,
  without: {
    ...DRONE_CAUSES,
    not_positions: 'its JSON is not about drones: states of the kit, or an error',
    station_as_drone: 'it hears drones that it cannot decode, and reports its own place (drone-alert)',
  },
};

const NO_MESH_LINE = 'its lines have no "drone_lat": it hears no drone, or has another firmware';

const MESH_MAPPER_WORDS: FeedWords = {
  expected: 'lines of drone-mesh-mapper',
  json: () => 'its JSON is not that of drone-mesh-mapper',
  sbs: SBS_ELSEWHERE,
  without: { ...DRONE_CAUSES, not_positions: NO_MESH_LINE },
};

/** The path of the address is the topic. */
function mqtt(
  scheme: string,
  defaultTopic: string,
  words: FeedWords,
  make: MakeParser,
  beacons?: MqttOptions['beacons'],
): FeedKind {
  const isTls = scheme.endsWith('mqtts');
  return {
    example: `${scheme}://broker.local`,
    layers: ['rid'],
    signs: {},
    settings: isTls ? ['username', 'password_file', 'ca_file'] : ['username', 'password_file'],
    instead: isTls ? {} : { ca_file: `write ${scheme}s:// if the broker has TLS, or leave it out` },
    words,
    // A broker often has several sensors.
    aggregates: true,
    check(url) {
      const problem = hostProblem(url) ?? (url.search === '' ? undefined : 'leave out what follows ?');
      if (problem !== undefined) return problem;
      const topic = topicOf(url, defaultTopic);
      return topic !== undefined && isTopicFilter(topic)
        ? undefined
        : 'write a topic after the host, with %23 for #, or nothing for the usual one';
    },
    places: (url) => [`${hostAndPort(url, isTls ? MQTTS_PORT : MQTT_PORT)}/${topicOf(url, defaultTopic)}`],
    open(settings, keyOf) {
      const url = new URL(settings.url);
      const { username, passwordFile, caFile } = settings;
      return {
        parser: make({ feed: settings.id, keyOf }),
        connect: mqttMessages({
          host: hostOf(url),
          port: Number(url.port || (isTls ? MQTTS_PORT : MQTT_PORT)),
          topic: topicOf(url, defaultTopic) as string,
          username,
          passwordFile,
          tls: isTls ? { caFile } : undefined,
          beacons,
        }),
      };
    },
  };
}

function topicOf(url: URL, defaultTopic: string): string | undefined {
  try {
    return decodeURIComponent(url.pathname.slice(1)) || defaultTopic;
  } catch {
    return undefined;
  }
}

/** Whether the topic may be subscribed to (MQTT 3.1.1, 4.7). */
function isTopicFilter(topic: string): boolean {
  const levels = topic.split('/');
  return levels.every(
    (level, index) =>
      !level.includes('\0') &&
      (!level.includes('+') || level === '+') &&
      (!level.includes('#') || (level === '#' && index === levels.length - 1)),
  );
}

function dragonsyncHttp(scheme: string, instead = {}): FeedKind {
  return {
    example: `${scheme}://kit.local`,
    layers: ['rid'],
    signs: { isAnswerEnough: true, unprovenMs: 15 * SECOND_MS },
    settings: ['username', 'password_file'],
    instead,
    words: DRAGONSYNC_WORDS,
    check: (url) => hostProblem(url) ?? (url.search === '' ? undefined : 'leave out what follows ?'),
    places: (url) => [`${hostAndPort(url, DRAGONSYNC_PORT)}${plainPath(dronesPath(url))}`],
    open(settings, keyOf) {
      const url = new URL(settings.url);
      const path = dronesPath(url);
      const origin = `${scheme.slice('dragonsync+'.length)}://${url.hostname}:${url.port || DRAGONSYNC_PORT}`;
      return {
        parser: makeDragonsync({ feed: settings.id, keyOf }),
        connect: httpPoll({ urls: [new URL(path, origin)], authorization: basicAuthorization(settings) }),
      };
    },
  };
}

function dronesPath({ pathname }: URL): string {
  return pathname === '' || pathname === '/' ? '/drones' : pathname;
}

const serial: FeedKind = {
  example: 'serial:///dev/ttyUSB0',
  layers: ['rid'],
  signs: {},
  settings: [],
  words: MESH_MAPPER_WORDS,
  check(url) {
    if (url.hostname !== '' || url.pathname.length < 2) return 'write the whole path, after three slashes';
    const names = [...url.searchParams.keys()];
    if (names.some((name) => name !== 'baud')) return 'leave out what follows ?, except baud=115200';
    return baudOf(url) === undefined ? 'write a rate from 300 to 4000000 after baud=' : undefined;
  },
  places: (url) => [plainPath(url.pathname)],
  open(settings, keyOf) {
    const url = new URL(settings.url);
    return {
      parser: makeMeshMapper({ feed: settings.id, keyOf }),
      connect: serialLines({ path: decodeURIComponent(url.pathname), baud: baudOf(url) as number }),
    };
  },
};

function baudOf(url: URL): number | undefined {
  const text = url.searchParams.get('baud');
  if (text === null) return BAUD_DEFAULT;
  const baud = /^\d{3,7}$/.test(text) ? Number(text) : 0;
  return baud >= 300 && baud <= 4_000_000 ? baud : undefined;
}

/** A kit sends them about every 30 s, with its place. Source: alphafox02/DragonSync, `docs/mqtt-schema.md`. */
const KIT_STATES = {
  topics: ['wardragon/system/attrs', 'wardragon/system/+/attrs'],
  pattern: /^wardragon\/system\/([^/]+\/)?attrs$/,
};

/**
 * The kinds of feeds of drone receivers, by the scheme of their addresses: a broker, a kit's HTTP server or a serial port.
 * They deliver drones only. Checking or opening a feed connects to nothing: its `connect` does.
 */
export const DRONE_KINDS: Readonly<Record<string, FeedKind>> = {
  'dronescout+mqtt': mqtt('dronescout+mqtt', '#', DRONESCOUT_WORDS, makeDronescout),
  'dronescout+mqtts': mqtt('dronescout+mqtts', '#', DRONESCOUT_WORDS, makeDronescout),
  // Brokers retain the drones' own topics, and two kits overwrite each other there.
  'dragonsync+mqtt': mqtt('dragonsync+mqtt', 'wardragon/drones', DRAGONSYNC_WORDS, makeDragonsync, KIT_STATES),
  'dragonsync+mqtts': mqtt('dragonsync+mqtts', 'wardragon/drones', DRAGONSYNC_WORDS, makeDragonsync, KIT_STATES),
  'dragonsync+http': dragonsyncHttp('dragonsync+http'),
  'dragonsync+https': dragonsyncHttp('dragonsync+https', HTTPS_INSTEAD),
  serial,
};
