import { expect, test } from 'vitest';
import { instantOf } from '#lib/time/instant.ts';
import type { Fix } from '../fix.ts';
import { namedKeyOf } from './named-keys.fixture.ts';
import { makePushRows } from './push-rows.ts';

const T0 = instantOf('2026-11-23T03:38:28.400Z');
const T0_MS = Date.parse('2026-11-23T03:38:28.400Z');
const OBSERVED = { observed_at: '2026-11-23T03:38:27.900Z' };
const DRONE = { ...OBSERVED, serial_number: '1581F5BKD2290000TEST', longitude: 8.765_432_1, latitude: 47.123_456_7 };
const AIRCRAFT = { ...OBSERVED, layer: 'adsb', icao: '4B1800', longitude: 8.765_432_1, latitude: 47.123_456_7 };

const parse = (body: unknown) => makePushRows({ feed: 'hill', keyOf: namedKeyOf }).parse(JSON.stringify(body), T0);
const fixOf = (row: unknown): Fix => parse([row]).fixes[0]!;

test('reads a row in the contract’s names and units', () => {
  const row = {
    ...DRONE,
    altitude_m: 530.5,
    height_agl_m: 42,
    speed_mps: 12.25,
    heading_deg: 271.5,
    accuracy_m: 3,
    emergency_state: 'emergency',
    test_broadcast: true,
  };
  expect(parse([row])).toEqual({
    fixes: [
      {
        layer: 'rid',
        trackKey: 'rid serial:1581F5BKD2290000TEST',
        feedTimeMs: T0_MS - 500,
        trackTimeMs: undefined,
        lon: DRONE.longitude,
        lat: DRONE.latitude,
        altitudeM: 530.5,
        heightAglM: 42,
        speedMps: 12.25,
        headingDeg: 271.5,
        onGround: false,
        origin: 'broadcast',
        accuracyM: 3,
        emergencyState: 'emergency',
        testBroadcast: true,
      },
    ],
    refused: [],
    feedClockMs: undefined,
  });
});

test('makes missing values null', () => {
  const nothing = { altitude_m: null, speed_mps: null, heading_deg: null, emergency_state: null };
  expect(fixOf({ ...DRONE, ...nothing })).toEqual(fixOf(DRONE));
  expect(fixOf(DRONE)).toMatchObject({ altitudeM: null, speedMps: null, headingDeg: null });
});

test.each<[keyof Fix, Record<string, unknown>, unknown]>([
  ['headingDeg', { ...DRONE, heading_deg: 361 }, null],
  ['speedMps', { ...DRONE, speed_mps: 255 }, null],
  ['speedMps', { ...AIRCRAFT, speed_mps: 255 }, 255],
  ['altitudeM', { ...DRONE, altitude_m: -1000 }, null],
  ['altitudeM', { ...DRONE, altitude: 530.5 }, 530.5],
  ['emergencyState', { ...DRONE, emergency_state: 'HB-XYZ' }, null],
  ['emergencyState', { ...AIRCRAFT, emergency_state: 'nordo' }, 'nordo'],
  ['origin', { ...AIRCRAFT, origin: 'mlat' }, 'mlat'],
  ['onGround', { ...AIRCRAFT, on_ground: true }, true],
  ['testBroadcast', { ...DRONE, self_id: 'Test flight' }, true],
  ['feedTimeMs', { ...DRONE, observed_at: undefined, timestamp: '2026-11-23T04:38:27.400+01:00' }, T0_MS - 1000],
  ['feedTimeMs', { ...DRONE, observed_at: T0_MS - 500 }, T0_MS - 500],
  ['trackKey', { ...DRONE, serial_number: undefined, uas_id: '1581f5bk' }, 'rid serial:1581F5BK'],
  ['trackKey', { ...DRONE, serial_number: '', registration_id: 'N1234' }, 'rid registration:N1234'],
  ['trackKey', { ...DRONE, serial_number: null, mac_address: 'aa:bb:cc:dd:ee:ff' }, 'rid mac:hill:AABBCCDDEEFF'],
  ['trackKey', AIRCRAFT, 'adsb icao:4b1800'],
])('%s of %o is %s', (field, row, expected) => {
  expect(fixOf(row)[field]).toBe(expected);
});

test.each([
  ['nobody', { ...OBSERVED, longitude: 8, latitude: 47 }, 'no_identity'],
  ['no place', { ...DRONE, latitude: undefined }, 'no_position'],
  ['the place 0, 0', { ...DRONE, latitude: 0, longitude: 0 }, 'no_position'],
  ['an impossible place', { ...DRONE, longitude: 181 }, 'impossible_value'],
  ['a drone as an aircraft', { ...AIRCRAFT, icao: 'FF1234' }, 'drone_as_aircraft'],
  ['no aircraft', { ...AIRCRAFT, icao: '~4b1800' }, 'no_identity'],
  ['another layer', { ...DRONE, layer: 'ais' }, 'unreadable'],
  ['no time', { ...DRONE, observed_at: null }, 'unreadable'],
  ['a time without a timezone', { ...DRONE, observed_at: '2026-11-23T03:38:27' }, 'unreadable'],
  ['a text', 'row', 'unreadable'],
])('refuses only the row of %s', (_, row, cause) => {
  const { fixes, refused } = parse([DRONE, row, DRONE]);
  expect([fixes.length, refused]).toEqual([2, [cause]]);
});

test('reads the time of sending', () => {
  const { fixes, feedClockMs } = parse({ sent_at: '2026-11-23T03:38:28.000Z', observations: [DRONE] });
  expect([fixes.length, feedClockMs]).toEqual([1, T0_MS - 400]);
});

test.each([[{}], [{ observations: DRONE }], ['text'], [null]])('refuses the body %o as unreadable', (body) => {
  expect(parse(body)).toEqual({ fixes: [], refused: ['unreadable'], feedClockMs: undefined });
});

test('refuses a whole body of more than 1,000 rows', () => {
  expect(parse(Array(1000).fill(DRONE)).fixes).toHaveLength(1000);
  expect(parse(Array(1001).fill(DRONE))).toEqual({ fixes: [], refused: ['too_long'], feedClockMs: undefined });
});

test('withholds pushed emergency states like all others', () => {
  const settings = { feed: 'hill', keyOf: namedKeyOf, policy: { emergency: 'unknown' } } as const;
  const rows = [AIRCRAFT, DRONE].map((row) => ({ ...row, emergency_state: 'general' }));
  const { fixes } = makePushRows(settings).parse(JSON.stringify(rows), T0);
  expect(fixes.map(({ emergencyState }) => emergencyState)).toEqual(['unknown', 'general']);
});

test('counts an unknown field and an unusable value by name', () => {
  const { fixes, fields } = parse([{ ...DRONE, speed: 7, heading_deg: 'north' }]);
  expect(fixes).toMatchObject([{ speedMps: null, headingDeg: null }]);
  expect(fields).toEqual({ unknown: new Map([['speed', 1]]), unusable: new Map([['heading_deg', 1]]) });
});
