import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { MakeParser } from '../fix.ts';
import { makeAircraftJson } from '../parsers/aircraft-json.ts';
import { makeReadsbJsonPort } from '../parsers/readsb-json-port.ts';
import { makeSbs } from '../parsers/sbs.ts';
import { makeUat } from '../parsers/uat.ts';
import type { FeedKind, FeedSetting, Signs } from './feed-kind.ts';
import { hostAndPort, hostAndPortProblem, hostOf, hostProblem, plainPath } from './feed-kind.ts';
import type { FeedSettings } from './feed-settings.ts';
import { AIRCRAFT_JSON_WORDS, type FeedWords, JSON_PORT_WORDS, SBS_WORDS, UAT_WORDS } from './feed-words.ts';
import { basicAuthorization } from './transports/basic-authorization.ts';
import { filePoll } from './transports/file-poll.ts';
import { httpPoll } from './transports/http-poll.ts';
import { tcpLines } from './transports/tcp-lines.ts';

const SBS_PORT = 30_003;
const UAT_PORT = 30_979;

/** Written each second by a timer, whose silences are faults. One that is slower than 15 s is known after six of them. */
const AIRCRAFT_JSON_SIGNS: Signs = { unprovenMs: 15 * SECOND_MS, lossesMax: 5 };
/** readsb and dump1090 send an empty line after a minute without another. */
const HEARTBEAT_SIGNS: Signs = { unprovenMs: 2 * MINUTE_MS };

const http = (scheme: string): FeedKind => ({
  example: `${scheme}://pi.local/tar1090`,
  layers: ['adsb'],
  signs: AIRCRAFT_JSON_SIGNS,
  settings: ['username', 'password_file', 'emergency', 'pia_and_ladd'],
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

function lines(
  scheme: string,
  defaultPort: number | undefined,
  settings: readonly FeedSetting[],
  words: FeedWords,
  make: (settings: FeedSettings) => MakeParser,
  signs = HEARTBEAT_SIGNS,
): FeedKind {
  return {
    layers: ['adsb'],
    signs,
    example: `${scheme}://pi.local:${defaultPort ?? 30_154}`,
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
  https: http('https'),
  file,
  jsonport: lines(
    'jsonport',
    undefined,
    ['emergency', 'pia_and_ladd'],
    JSON_PORT_WORDS,
    ({ policy }) =>
      (settings) =>
        makeReadsbJsonPort({ ...settings, policy }),
  ),
  sbs: lines(
    'sbs',
    SBS_PORT,
    ['times', 'emergency'],
    SBS_WORDS,
    ({ policy, sbsTimes }) =>
      (settings) =>
        makeSbs({ ...settings, policy, times: sbsTimes }),
  ),
  uat: lines(
    'uat',
    UAT_PORT,
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
/** tar1090, dump1090 itself, and the maps of dump1090-fa, readsb and older dump1090. */
const USUAL_FOLDERS = [
  '/tar1090/data',
  '/data',
  '/skyaware/data',
  '/dump1090-fa/data',
  '/dump1090/data',
  '/readsb/data',
  '',
];
/** The first dump1090's answer, a list. */
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
