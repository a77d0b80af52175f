import { describe, expect, test } from 'vitest';
import type { Fix } from '../fix.ts';
import { at, namedKeyOf } from './named-keys.fixture.ts';
import { EPOCH_S } from './readsb-row.fixture.ts';
import { makeUat } from './uat.ts';
import { uatLine } from './uat-line.fixture.ts';

type Change = Readonly<Record<string, unknown>>;

const parse = (change: Change, policy = {}) =>
  makeUat({ feed: 'roof', keyOf: namedKeyOf, policy }).parse(uatLine(change), at(9));

test('makes a fix of a message with a position, at its time of reception', () => {
  expect(parse({})).toEqual({
    refused: [],
    feedClockMs: (EPOCH_S + 1.5) * 1000,
    fixes: [
      {
        layer: 'adsb',
        trackKey: 'adsb icao:a66ef1',
        feedTimeMs: (EPOCH_S + 1.5) * 1000,
        trackTimeMs: undefined,
        lon: -93.54321,
        lat: 38.12345,
        altitudeM: 1584.96,
        heightAglM: null,
        speedMps: 51.44,
        headingDeg: 143.1,
        onGround: false,
        origin: 'broadcast',
        accuracyM: 75,
        emergencyState: 'none',
        testBroadcast: false,
      },
    ],
  });
});

describe('fields of a message', () => {
  test.each<[string, Change, Partial<Fix>]>([
    ['the pressure altitude alone', { geometric_altitude: undefined }, { altitudeM: 1524 }],
    ['no altitude', { geometric_altitude: undefined, pressure_altitude: undefined }, { altitudeM: null }],
    ['no speed', { ground_speed: undefined, true_track: undefined }, { speedMps: null, headingDeg: null }],
    [
      'a heading on the ground',
      { airground_state: 'ground', true_track: undefined, true_heading: 12.7 },
      { onGround: true, headingDeg: 12.7 },
    ],
    [
      'a magnetic heading, which is not the direction',
      { airground_state: 'ground', true_track: undefined, magnetic_heading: 9 },
      { headingDeg: null },
    ],
    ['no time, so that of its arrival counts', { metadata: { errors: 0 } }, { feedTimeMs: undefined }],
    ['an unknown radius', { nic: 0 }, { accuracyM: null }],
    ['a reserved category', { nic: 12 }, { accuracyM: null }],
    ['category 6 without its supplement', { nic: 6 }, { accuracyM: 1111.2 }],
    ['no category', { nic: undefined }, { accuracyM: null }],
    ['UAT’s name of a lifeguard', { emergency: 'medical' }, { emergencyState: 'lifeguard' }],
    ['a squawk as its flight plan', { emergency: undefined, flightplan_id: '7700' }, { emergencyState: 'general' }],
    ['no valid emergency', { emergency: 'invalid', flightplan_id: undefined }, { emergencyState: null }],
  ])('%s', (_, change, fix) => {
    expect(parse(change).fixes).toMatchObject([fix]);
  });
});

describe('identity', () => {
  test.each([
    ['adsb_icao', 'adsb icao:a66ef1', 'broadcast'],
    ['tisb_icao', 'adsb icao:a66ef1', 'tisb'],
    ['adsb_other', 'adsb ~:roof:a66ef1', 'broadcast'],
    ['adsr_other', 'adsb ~:roof:a66ef1', 'rebroadcast'],
    ['tisb_trackfile', 'adsb ~:roof:a66ef1', 'tisb'],
    ['vehicle', 'adsb ~:roof:a66ef1', 'broadcast'],
  ])('%s', (address_qualifier, trackKey, origin) => {
    expect(parse({ address_qualifier }).fixes).toMatchObject([{ trackKey, origin }]);
  });
});

describe('refused', () => {
  test.each<[string, Change, string]>([
    ['no position', { position: undefined }, 'no_position'],
    ['half of one', { position: { lat: 38 } }, 'no_position'],
    ['0,0', { position: { lat: 0, lon: 0 } }, 'no_position'],
    ['beyond a pole', { position: { lat: 91, lon: 8 } }, 'impossible_value'],
    ['a fixed beacon', { address_qualifier: 'fixed_beacon' }, 'obstacle'],
    ['an obstacle', { emitter_category: 'C3' }, 'obstacle'],
    ['a reserved qualifier', { address_qualifier: 'reserved' }, 'no_identity'],
    ['no address', { address: undefined }, 'no_identity'],
    ['a drone as an aircraft', { address: 'ff0102' }, 'drone_as_aircraft'],
  ])('%s', (_, change, cause) => {
    expect(parse(change)).toMatchObject({ fixes: [], refused: [cause] });
  });

  test('raw messages of the neighbouring port', () => {
    const parser = makeUat({ feed: 'roof', keyOf: namedKeyOf });
    expect(parser.parse('-00a66ef135445d525a0c0519119021204800;', at(0)).refused).toEqual(['unreadable']);
  });
});

describe('damaged lines', () => {
  const parseText = (text: string) => makeUat({ feed: 'roof', keyOf: namedKeyOf }).parse(text, at(9));

  test('make an unusable value null and count it', () => {
    const { fixes, fields } = parse({ ground_speed: '100', geometric_altitude: -1e9, brand_new: 1 });
    expect(fixes).toMatchObject([{ speedMps: null, altitudeM: 1524 }]);
    expect(fields).toEqual({
      unknown: new Map([['brand_new', 1]]),
      unusable: new Map([
        ['geometric_altitude', 1],
        ['ground_speed', 1],
      ]),
    });
  });

  test('lose only the value nan, and read joined lines', () => {
    const { fixes, refused } = parseText(
      [uatLine().replace('"ground_speed":100', '"ground_speed":nan'), uatLine(), '{"address'].join(''),
    );
    expect([fixes.map(({ speedMps }) => speedMps), refused]).toEqual([[null, 51.44], ['unreadable']]);
  });
});
