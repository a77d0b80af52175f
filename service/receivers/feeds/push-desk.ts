import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Parsed, Parser } from '../fix.ts';
import { type PushRowsSettings, parsePushRows, readPushBody } from '../parsers/push-rows.ts';
import type { Connect, Inlet } from './feed.ts';
import type { PushPlaces } from './feed-kind.ts';

type Taken =
  | { readonly outcome: 'read'; readonly parsed: Parsed }
  | { readonly outcome: 'unreadable' | 'too_long' | 'flood' };

export interface PushStation {
  readonly id: string;
  take(body: Uint8Array, receivedAt: UpstreamInstant): Taken;
}

export interface PushDesk extends PushPlaces {
  /** @param keyDigest SHA-256 in hex */
  find(keyDigest: string): PushStation | undefined;
}

/** Stations should collect rows and send them together. */
const REQUESTS_PER_SECOND_MAX = 10;
const SILENCE_MAX_MS = 120 * SECOND_MS;

export function makePushDesk(): PushDesk {
  const stations = new Map<string, PushStation>();

  function connectStation({ id, keyDigests }: Parameters<PushPlaces['open']>[0], rows: Rows): Connect {
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
      const rows = makeRows({ feed: station.id, keyOf, policy: station.policy });
      return {
        parser: rows.parser,
        connect: connectStation(station, rows),
        messagesPerSecondMax: REQUESTS_PER_SECOND_MAX,
      };
    },
    find: (keyDigest) => stations.get(keyDigest),
  };
}

interface Rows {
  readonly parser: Parser;
  take(inlet: Inlet, body: Uint8Array, receivedAt: UpstreamInstant): Taken;
}

/** Keeps its last result: an inlet returns nothing, and the station's answer needs it. */
function makeRows(settings: PushRowsSettings): Rows {
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
