import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { MakeParser } from '../fix.ts';
import { makeAircraftJson } from '../parsers/aircraft-json.ts';
import { makeReadsbJsonPort } from '../parsers/readsb-json-port.ts';
import { makeSbs } from '../parsers/sbs.ts';
import { makeUat } from '../parsers/uat.ts';
import type { FeedSettings } from './feed.ts';
import {
  AIRCRAFT_CAUSES,
  type FeedKind,
  type FeedSetting,
  type FeedWords,
  HTTPS_INSTEAD,
  hostAndPort,
  hostAndPortProblem,
  hostOf,
  hostProblem,
  plainPath,
  SBS_ELSEWHERE,
  type Signs,
} from './feed-kind.ts';
import { filePoll } from './transports/file-poll.ts';
import { basicAuthorization, httpPoll } from './transports/http-poll.ts';
import { tcpLines } from './transports/tcp-lines.ts';

const SBS_PORT = 30_003;
const JSON_PORT = 30_154;
const UAT_PORT = 30_979;

/**
 * Such a file is written each second by a timer, whose silences are faults. One that is slower than 15 s is known after
 * six of them.
 */
const AIRCRAFT_JSON_SIGNS: Signs = { unprovenMs: 15 * SECOND_MS, lossesMax: 5 };
/** readsb and dump1090 send an empty line after a minute without another. */
const HEARTBEAT_SIGNS: Signs = { unprovenMs: 2 * MINUTE_MS };

export const AIRCRAFT_JSON_WORDS: FeedWords = {
  expected: 'aircraft.json',
  json(text) {
    if (/^\s*\[/.test(text)) {
      return /"hex"\s*:/.test(text)
        ? 'it answers with a list of an old dump1090 that cannot be read'
        : 'it answers with a JSON list without aircraft';
    }
    if (/"drones"\s*:/.test(text)) return 'it answers with drones: write dragonsync+http:// before its address';
    if (/"(aircraft|ac)"\s*:/.test(text)) {
      return /"now"\s*:/.test(text)
        ? 'its answer is damaged or cut: JSON that cannot be read'
        : 'its answer does not say when it was written: "now" is missing';
    }
    if (/"hex"\s*:/.test(text)) return 'it sends aircraft as JSON, in a form that is not read here';
    return 'it answers with JSON about something else: it has no "aircraft"';
  },
  sbs: SBS_ELSEWHERE,
  without: AIRCRAFT_CAUSES,
};

const JSON_PORT_WORDS: FeedWords = {
  expected: 'JSON lines',
  json: (text) =>
    /"hex"\s*:/.test(text) && !/"now"\s*:/.test(text)
      ? 'its aircraft do not say when they were received: "now" is missing'
      : "its JSON is not that of readsb's --net-json-port",
  sbs: SBS_ELSEWHERE,
  without: AIRCRAFT_CAUSES,
};

const NO_SBS_POSITION = 'its lines give no position: none is MSG,2 or MSG,3';

const SBS_WORDS: FeedWords = {
  expected: 'SBS lines',
  json: () => 'it sends JSON: write jsonport:// or uat:// before its address',
  sbs: 'its SBS lines have another number of fields: damaged, or with decimal commas',
  without: {
    ...AIRCRAFT_CAUSES,
    no_position: 'its MSG,2 and MSG,3 lines have no latitude and longitude, or 0,0',
    impossible_value: 'its latitudes and longitudes are outside the Earth, or not decimal numbers with a point',
    not_positions: NO_SBS_POSITION,
    nothing: NO_SBS_POSITION,
  },
};

const UAT_WORDS: FeedWords = {
  expected: 'JSON lines',
  json: () => "its JSON is not that of dump978's --json-port",
  sbs: SBS_ELSEWHERE,
  without: {
    ...AIRCRAFT_CAUSES,
    no_identity: 'its messages are of no aircraft: they have no address, or another kind of it',
    obstacle: 'it hears fixed beacons and obstacles only',
  },
};

const http = (scheme: string, instead = {}): FeedKind => ({
  example: `${scheme}://pi.local/tar1090`,
  layers: ['adsb'],
  signs: AIRCRAFT_JSON_SIGNS,
  settings: ['username', 'password_file', 'emergency', 'pia_and_ladd'],
  instead,
  words: AIRCRAFT_JSON_WORDS,
  check: (url) => hostProblem(url),
  places: (url) =>
    aircraftJsonUrls(url).map(
      (at) => `${hostAndPort(at, scheme === 'http' ? 80 : 443)}${plainPath(at.pathname)}${at.search}`,
    ),
  open: (settings, keyOf) => ({
    parser: makeAircraftJson({ feed: settings.id, keyOf, policy: settings.policy }),
    connect: httpPoll({ urls: aircraftJsonUrls(new URL(settings.url)), authorization: basicAuthorization(settings) }),
  }),
});

const file: FeedKind = {
  example: 'file:///run/readsb/aircraft.json',
  layers: ['adsb'],
  signs: AIRCRAFT_JSON_SIGNS,
  settings: ['emergency', 'pia_and_ladd'],
  words: AIRCRAFT_JSON_WORDS,
  check(url) {
    if (url.search !== '') return 'leave out what follows ?';
    return pathOf(url) === undefined ? 'write the whole path, after three slashes' : undefined;
  },
  places: (url) => [plainPath(pathOf(url) as string)],
  open: (settings, keyOf) => ({
    parser: makeAircraftJson({ feed: settings.id, keyOf, policy: settings.policy }),
    connect: filePoll(pathOf(new URL(settings.url)) as string),
  }),
};

/** @param hasDefault the address may leave the port out */
function lines(
  scheme: string,
  usualPort: number,
  hasDefault: boolean,
  settings: readonly FeedSetting[],
  words: FeedWords,
  make: (settings: FeedSettings) => MakeParser,
  signs = HEARTBEAT_SIGNS,
): FeedKind {
  const defaultPort = hasDefault ? usualPort : undefined;
  return {
    layers: ['adsb'],
    signs,
    example: `${scheme}://pi.local:${usualPort}`,
    usualPort,
    settings,
    words,
    check: (url) => hostAndPortProblem(url, defaultPort),
    places: (url) => [hostAndPort(url, defaultPort)],
    open: (settings, keyOf) => {
      const url = new URL(settings.url);
      return {
        parser: make(settings)({ feed: settings.id, keyOf }),
        connect: tcpLines({ host: hostOf(url), port: Number(url.port || defaultPort) }),
      };
    },
  };
}

export const AIRCRAFT_KINDS: Readonly<Record<string, FeedKind>> = {
  http: http('http'),
  https: http('https', HTTPS_INSTEAD),
  file,
  jsonport: lines(
    'jsonport',
    JSON_PORT,
    false,
    ['emergency', 'pia_and_ladd'],
    JSON_PORT_WORDS,
    ({ policy }) =>
      (settings) =>
        makeReadsbJsonPort({ ...settings, policy }),
  ),
  sbs: lines(
    'sbs',
    SBS_PORT,
    true,
    ['times', 'emergency'],
    SBS_WORDS,
    ({ policy, sbsTimes }) =>
      (settings) =>
        makeSbs({ ...settings, policy, times: sbsTimes }),
  ),
  uat: lines(
    'uat',
    UAT_PORT,
    true,
    ['emergency'],
    UAT_WORDS,
    ({ policy }) =>
      (settings) =>
        makeUat({ ...settings, policy }),
    // dump978 sends no heartbeat.
    {},
  ),
};

const AIRCRAFT_JSON = 'aircraft.json';
/** Where tar1090 has it, dump1090 itself, and the maps of dump1090-fa, readsb and older dump1090. */
const USUAL_FOLDERS = [
  '/tar1090/data',
  '/data',
  '/skyaware/data',
  '/dump1090-fa/data',
  '/dump1090/data',
  '/readsb/data',
  '',
];
/** The list that the first dump1090 answers. */
const LIST_JSON = '/data.json';

/** @param url of a map, of its data, or of the answer itself */
export function aircraftJsonUrls(url: URL): readonly URL[] {
  const { pathname, search } = url;
  // A path with two leading slashes would name another host.
  const at = (path: string) => new URL(path.replace(/^\/+/, '/'), url);
  // readsb's API has its request in the query, a map its selection.
  if (pathname.endsWith('.json') || /(^|\/)re-api\/?$/.test(pathname)) return [at(`${pathname}${search}`)];
  const folder = pathname.replace(/\/[^/]+\.(html?|php)$/i, '').replace(/\/+$/, '');
  const itself = search === '' ? [] : [at(`${pathname}${search}`)];
  if (folder === '')
    return [...USUAL_FOLDERS.map((usual) => at(`${usual}/${AIRCRAFT_JSON}`)), at(LIST_JSON), ...itself];
  if (folder.endsWith('/data')) return [at(`${folder}/${AIRCRAFT_JSON}`), ...itself];
  return [at(`${folder}/data/${AIRCRAFT_JSON}`), at(`${folder}/${AIRCRAFT_JSON}`), ...itself];
}

function pathOf(url: URL): string | undefined {
  try {
    const path = fileURLToPath(url);
    return isAbsolute(path) && !path.endsWith('/') ? path : undefined;
  } catch {
    return undefined;
  }
}
