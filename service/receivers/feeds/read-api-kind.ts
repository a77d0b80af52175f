import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, crossesAntimeridian, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Parsed } from '../fix.ts';
import { readReadApiPage } from '../parsers/read-api-page.ts';
import type { ReadApiSettings } from './feed.ts';
import {
  type FeedKind,
  type FeedWords,
  HTTPS_INSTEAD,
  hostAndPort,
  hostProblem,
  isOfThisMachine,
  plainPath,
  SBS_ELSEWHERE,
} from './feed-kind.ts';
import { RequestCounts } from './request-counts.ts';
import { readApi } from './transports/read-api.ts';

/** Requests that a feed sends in a day at least: one for each layer and area, if each answer is one page. */
export function requestsADay({ layers, areas, seconds }: Omit<ReadApiSettings, 'keyFile' | 'requestsPerDay'>): number {
  return Math.ceil((layers.length * areas.length * DAY_MS) / (seconds * SECOND_MS));
}

/** @returns the area, or what to write instead */
export function readArea(text: string): Bbox | string {
  const read = parseBbox(text);
  if (!read.ok) return read.message.replace(/^bbox/, 'it');
  if (crossesAntimeridian(read.bbox)) return 'it crosses 180°: write two areas';
  const isWide = lonSpanDeg(read.bbox) > LIVE_MAX_SPAN_DEG || latSpanDeg(read.bbox) > LIVE_MAX_SPAN_DEG;
  return isWide ? `it is wider or higher than ${LIVE_MAX_SPAN_DEG}°: write several areas` : read.bbox;
}

const WORDS: FeedWords = {
  expected: 'pages of the Read API',
  json: () => 'its JSON is no page of the Read API',
  sbs: SBS_ELSEWHERE,
  without: {
    unreadable: 'its records cannot be read',
    no_position: 'its records give no position, or 0,0',
    relayed: 'it has its records from other services: read those',
    other_layer: 'its records are of another layer',
  },
};

function readApiKind(scheme: 'http' | 'https'): FeedKind {
  const isTls = scheme === 'https';
  return {
    example: 'read-api+https://positions.example/v1',
    layers: ['rid', 'adsb'],
    signs: {},
    settings: ['key_file', 'layers', 'areas', 'seconds', 'requests_a_day', 'emergency'],
    instead: isTls ? HTTPS_INSTEAD : {},
    words: WORDS,
    // It has its own stations, and says how many.
    aggregates: true,
    check(url) {
      const problem = hostProblem(url);
      if (problem !== undefined) return problem;
      if (!isTls && !isOfThisMachine(url))
        return 'write read-api+https://, or the key would cross the network in the clear';
      if (url.search !== '') return 'leave out what follows ?';
      return /^\/*$/.test(url.pathname) ? 'write the base address with its version' : undefined;
    },
    places: (url) => [`${hostAndPort(url, isTls ? 443 : 80)}${plainPath(url.pathname)}`],
    open(settings, keyOf, home = {}) {
      const { readApi: account, id, policy } = settings;
      if (!account) throw new RangeError('settings that were not checked: the account is missing');
      let held = UNREADABLE;
      const feed = readApi({
        feed: id,
        baseUrl: settings.url.replace(/^read-api\+/, '').replace(/[/]+$/, ''),
        account,
        requests: home.requests ?? RequestCounts.inMemory(),
        readPage: (body, layer) => readReadApiPage(body, layer, { feed: id, keyOf, policy }),
        hold: (parsed) => {
          held = parsed;
        },
        ownId: home.serviceId,
      });
      // The transport needs the next cursor of a page before the page is delivered.
      return { ...feed, parser: { parse: () => held } };
    },
  };
}

const UNREADABLE: Parsed = { fixes: [], refused: ['unreadable'], feedClockMs: undefined };

/** Another service that speaks the Read API: a provider, or a neighbour with Lookout. */
export const READ_API_KINDS: Readonly<Record<string, FeedKind>> = {
  'read-api+https': readApiKind('https'),
  'read-api+http': readApiKind('http'),
};
