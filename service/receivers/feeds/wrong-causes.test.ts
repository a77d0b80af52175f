import { describe, expect, test } from 'vitest';
import { epochMs } from '#lib/time/instant.ts';
import { dragonsyncRow } from '../parsers/dragonsync-row.fixture.ts';
import { dronescoutPayload } from '../parsers/dronescout-payload.fixture.ts';
import { meshMapperLine } from '../parsers/mesh-mapper-line.fixture.ts';
import { namedKeyOf } from '../parsers/named-keys.fixture.ts';
import { readsbRow } from '../parsers/readsb-row.fixture.ts';
import { sbsLine } from '../parsers/sbs-line.fixture.ts';
import { uatLine } from '../parsers/uat-line.fixture.ts';
import type { Inlet } from './feed.ts';
import { FEED_KINDS } from './feed-kinds.ts';
import { runFeed } from './run-feed.ts';
import { makeTestSurroundings } from './test-surroundings.fixture.ts';

/** The problem of a feed after half a minute of messages, one a second. */
function problemOf(kindName: string, message: (nowS: number, second: number) => string | Uint8Array) {
  const kind = FEED_KINDS[kindName];
  if (!kind) throw new Error(`no kind ${kindName}`);
  const time = makeTestSurroundings();
  let inlet: Inlet | undefined;
  const settings = { id: 'roof', url: kind.example, aggregates: false, simulated: false, policy: {}, keyDigests: [] };
  const feed = runFeed({
    parser: kind.open(settings as never, namedKeyOf).parser,
    words: kind.words,
    connect(given) {
      inlet = given;
      return { close: async () => {} };
    },
    deliver: () => {},
    surroundings: time.surroundings,
  });
  inlet?.connected();
  for (let second = 0; second < 30; second++) {
    const said = message(epochMs(time.surroundings.now()) / 1000, second);
    inlet?.message(typeof said === 'string' ? new TextEncoder().encode(said) : said);
    time.move(1000);
  }
  const { problem } = feed.health();
  void feed.stop();
  return problem;
}

const drones = (...rows: object[]) => JSON.stringify({ drones: rows.map((row) => dragonsyncRow({ ...row })) });
const aircraft = (nowS: number, ...changes: object[]) =>
  JSON.stringify({ now: nowS, messages: 9, aircraft: changes.map((change) => readsbRow({ ...change })) });
const adsb = (nowS: number, change: object) => JSON.stringify({ ...readsbRow({ ...change }), now: nowS });
const pushed = (nowS: number, change: object) =>
  JSON.stringify({
    observations: [{ serial_number: '1581F5BKD2290000TEST', observed_at: nowS * 1000, longitude: 8, ...change }],
  });
const ODID = { basicIds: [] } as never;

describe('a feed without positions names what was counted', () => {
  const cases: readonly (readonly [string, Parameters<typeof problemOf>[1], string | undefined])[] = [
    ['dragonsync+http', (nowS) => drones({ observed_at: nowS }), 'its drones give no position, or 0,0'],
    ['dragonsync+http', () => drones({ lat: 47, lon: 8, id: 'drone-alert-1' }), 'reports its own place (drone-alert)'],
    ['dragonsync+http', () => drones({ lat: '47,1', lon: '8,1' }), 'outside the Earth, or not numbers'],
    ['dragonsync+http', () => '{"error":"database is locked"}', 'not about drones: states of the kit, or an error'],
    ['dragonsync+http', () => '<html>nginx</html>', 'a web page, not with a list of drones'],
    ['dragonsync+http', () => '{"drones":[]}', undefined],
    ['dragonsync+mqtt', () => '{"track_type":"aircraft","lat":47,"lon":8}', 'this is a feed of drones'],
    ['uat', () => uatLine({ address_qualifier: 'fixed_beacon' }), 'fixed beacons and obstacles only'],
    ['uat', () => uatLine({ emitter_category: 'C4' }), 'fixed beacons and obstacles only'],
    ['uat', () => uatLine({ address_qualifier: 'reserved' }), 'its messages are of no aircraft'],
    ['uat', () => uatLine({ address_qualifier: 'tisb_icao', position: undefined }), 'its aircraft give no position'],
    ['uat', () => '-08a66ef1355a72c6f2a0f4', 'raw messages of UAT'],
    ['http', (nowS) => aircraft(nowS, { lat: undefined, lon: undefined }), 'its aircraft give no position'],
    ['http', (nowS) => aircraft(nowS, { seen_pos: undefined }), 'no usable "seen_pos"'],
    ['http', (nowS) => aircraft(nowS, { seen_pos: '0.3' }), 'no usable "seen_pos"'],
    ['http', (nowS) => aircraft(nowS, { category: 'C3' }), 'fixed obstacles only'],
    ['http', (nowS) => aircraft(nowS, { hex: 'ff1234' }), 'passes on drones as aircraft'],
    ['http', (nowS) => aircraft(nowS, { lat: '47,1', lon: '8,6' }), 'outside the Earth, or not numbers'],
    ['http', (nowS) => aircraft(nowS, { hex: '' }), 'no address that can be read'],
    [
      'http',
      (nowS) => aircraft(nowS, { lat: undefined }, { lat: undefined }, { category: 'C3' }),
      'mostly: its aircraft give no position',
    ],
    ['http', (nowS) => aircraft(nowS), undefined],
    ['http', () => '{"error":"no such service"}', 'JSON about something else'],
    ['http', () => '{"drones":[]}', 'write dragonsync+http://'],
    ['file', () => '<html><h1>502</h1></html>', 'a web page, not with aircraft.json'],
    ['jsonport', (nowS) => adsb(nowS, { lat: undefined }), 'its aircraft give no position'],
    ['jsonport', () => JSON.stringify(readsbRow()), '"now" is missing'],
    ['jsonport', () => sbsLine(), 'write sbs:// before its address'],
    ['sbs', () => sbsLine({ kind: '4' as never, speed: 450, track: 90 }), 'none is MSG,2 or MSG,3'],
    ['sbs', () => 'MSG,8,1,1,3C66B0,1,2026/11/23,12:00:01.250,2026/11/23,12:00:01.300,,,,,,,,,,,,0', 'none is MSG,2'],
    ['sbs', () => sbsLine({ altitude: 37_000 }), 'no latitude and longitude'],
    ['sbs', () => sbsLine({ lat: '47,12', lon: '8,65', altitude: 3000 }), 'with decimal commas'],
    [
      'sbs',
      () => sbsLine({ lat: '47,12', lon: '8,65' }).replace(/(,[^,]*){2}$/, ''),
      'not decimal numbers with a point',
    ],
    ['sbs', () => sbsLine({ lat: '47,12', lon: '8,65' }).replaceAll(/,(?!\d\d,|\d\d$)/g, ';'), 'not SBS lines'],
    ['sbs', () => '*8D3F0C0358C382D690C8AC2863A7;', 'raw messages (AVR)'],
    ['sbs', () => new Uint8Array([0x1a, 0x33, 0, 1, 2, 3, 4, 5, 6, 7, 8]), 'Beast'],
    ['sbs', (_, second) => new Uint8Array(second % 3 ? [9, 0, 200, 7] : [3, 0, 0x1a, 0x32, 1, 2]), 'Beast'],
    ['sbs', () => new Uint8Array([0x15, 3, 1, 0, 2, 2, 70]), 'TLS'],
    ['sbs', () => JSON.stringify(readsbRow()), 'write jsonport:// or uat://'],
    ['dronescout+mqtt', () => '{"protocol":2.0,"data":{}}', 'not that of DroneScout'],
    ['dronescout+mqtt', () => '{"protocol":1.0,"status":{"timestamp":1}}', 'states of the sensor, and no Remote ID'],
    ['dronescout+mqtt', () => new Uint8Array([0xfd, 0x37, 0x7a]), 'compressed messages (LZMA)'],
    ['dronescout+mqtt', () => dronescoutPayload(ODID), 'its drones give no position, or 0,0'],
    ['serial', () => meshMapperLine({}), 'its drones give no position, or 0,0'],
    ['serial', () => 'ets Jul 29 2019 12:21:46', 'its lines have no "drone_lat"'],
    ['push', (nowS) => pushed(nowS, { latitude: null }), 'its rows have no longitude and latitude'],
    ['push', (nowS) => pushed(nowS, { latitude: 47, observed_at: undefined }), '"observed_at" is missing'],
    ['push', (nowS) => pushed(nowS, { latitude: 47, serial_number: undefined }), 'name no drone or aircraft'],
    ['push', () => '{"rows":[]}', 'JSON without "observations"'],
  ];

  test.each(cases)('%s %#', (kind, message, words) => {
    const problem = problemOf(kind, message);
    if (words === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(words);
  });
});
