import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Parsed, Parser } from '../fix.ts';
import { makePushRows, type PushRowsSettings, parsePushRows, readPushBody } from '../parsers/push-rows.ts';
import type { Connect, Inlet } from './feed.ts';
import {
  AIRCRAFT_CAUSES,
  DRONE_CAUSES,
  type FeedKind,
  type FeedWords,
  type PushPlaces,
  SBS_ELSEWHERE,
} from './feed-kind.ts';

const PUSH_WORDS: FeedWords = {
  expected: 'JSON with "observations"',
  json: (text) =>
    /"(observations|longitude)"\s*:/.test(text)
      ? 'its rows cannot be read: "observed_at" is missing or no time, or "layer" is neither rid nor adsb'
      : 'it sends JSON without "observations"',
  sbs: SBS_ELSEWHERE,
  without: {
    ...DRONE_CAUSES,
    no_position: 'its rows have no longitude and latitude, or 0,0',
    no_identity: 'its rows name no drone or aircraft: serial_number, registration_id, mac_address or icao',
    drone_as_aircraft: AIRCRAFT_CAUSES.drone_as_aircraft,
  },
};

/** A station that sends to our listener. Without the listener, it says so. */
export const pushKind: FeedKind = {
  example: 'push://hill',
  layers: ['rid', 'adsb'],
  signs: {},
  settings: ['key_sha256', 'emergency'],
  words: PUSH_WORDS,
  check(url) {
    const isName = url.hostname !== '' && url.port === '' && url.pathname === '' && url.search === '';
    return isName ? undefined : 'write the name of the station after two slashes, and nothing else';
  },
  places: (url) => [url.href],
  open(settings, keyOf, home) {
    if (home?.pushDesk) return home.pushDesk.open(settings, keyOf);
    return {
      parser: makePushRows({ feed: settings.id, keyOf, policy: settings.policy }),
      connect(inlet) {
        inlet.lost('nothing listens for it: start the service with --push-port');
        return { close: async () => {} };
      },
    };
  },
};

type Taken =
  | { readonly outcome: 'read'; readonly parsed: Parsed }
  | { readonly outcome: 'unreadable' | 'too_long' | 'flood' };

export interface PushStation {
  readonly id: string;
  take(body: Uint8Array, receivedAt: UpstreamInstant): Taken;
}

/** The stations that push, by their keys. Each is a feed, connected while it sends. */
export interface PushDesk extends PushPlaces {
  /** @param keyDigest SHA-256 in hex */
  find(keyDigest: string): PushStation | undefined;
}

/** Stations should collect rows and send them together. */
const REQUESTS_PER_SECOND_MAX = 10;
const SILENCE_MAX_MS = 120 * SECOND_MS;

export function makePushDesk(): PushDesk {
  const stations = new Map<string, PushStation>();

  function connectStation({ id, keyDigests }: Parameters<PushPlaces['open']>[0], rows: PushParser): Connect {
    return (inlet, { after }) => {
      let isClosed = false;
      let cancelSilence = () => {};
      const station: PushStation = {
        id,
        take(body, receivedAt) {
          if (isClosed) return { outcome: 'flood' };
          cancelSilence();
          cancelSilence = after(SILENCE_MAX_MS, () =>
            inlet.lost(`it sent nothing for ${SILENCE_MAX_MS / SECOND_MS} s`),
          );
          inlet.connected();
          return rows.take(inlet, body, receivedAt);
        },
      };
      for (const digest of keyDigests) stations.set(digest, station);
      return {
        async close() {
          isClosed = true;
          cancelSilence();
          for (const digest of keyDigests) if (stations.get(digest) === station) stations.delete(digest);
        },
      };
    };
  }

  return {
    open(station, keyOf) {
      const rows = makePushParser({ feed: station.id, keyOf, policy: station.policy });
      return {
        parser: rows.parser,
        connect: connectStation(station, rows),
        messagesPerSecondMax: REQUESTS_PER_SECOND_MAX,
      };
    },
    find: (keyDigest) => stations.get(keyDigest),
  };
}

/** A parser that keeps its last result: an inlet returns nothing, and the answer to the station needs it. */
interface PushParser {
  readonly parser: Parser;
  take(inlet: Inlet, body: Uint8Array, receivedAt: UpstreamInstant): Taken;
}

function makePushParser(settings: PushRowsSettings): PushParser {
  let last: Taken | undefined;
  return {
    parser: {
      parse(message) {
        const body = readPushBody(message);
        if (typeof body === 'string') {
          last = { outcome: body };
          return { fixes: [], refused: [body], feedClockMs: undefined };
        }
        const parsed = parsePushRows(body, settings);
        last = { outcome: 'read', parsed };
        return parsed;
      },
    },
    take(inlet, body, receivedAt) {
      last = undefined;
      inlet.message(body, receivedAt);
      return last ?? { outcome: 'flood' };
    },
  };
}
