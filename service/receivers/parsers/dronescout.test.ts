import { describe, expect, test } from 'vitest';
import { addMs, instantOf } from '#lib/time/instant.ts';
import { makeDronescout } from './dronescout.ts';
import { dronescoutPayload } from './dronescout-payload.fixture.ts';
import { namedKeyOf } from './named-keys.fixture.ts';

const T0 = instantOf('2026-11-23T03:38:28.400Z');
const T0_MS = Date.parse('2026-11-23T03:38:28.400Z');
const SERIAL = [{ idType: 1, id: '1581F5BKD2290000TEST' }];
const HERE = { lat: 47.123_456_7, lon: 8.765_432_1, status: 2 };

const parse = (message: string | Uint8Array) => makeDronescout({ feed: 'roof', keyOf: namedKeyOf }).parse(message, T0);
const said = { basicIds: SERIAL, location: HERE };

test('makes a fix with the sensor’s time', () => {
  const { fixes, refused, feedClockMs } = parse(dronescoutPayload(said, { timestamp: T0_MS - 1200 }));
  expect(refused).toEqual([]);
  expect(feedClockMs).toBe(T0_MS - 1200);
  expect(fixes).toMatchObject([
    {
      layer: 'rid',
      trackKey: 'rid serial:1581F5BKD2290000TEST',
      feedTimeMs: T0_MS - 1200,
      lat: HERE.lat,
      lon: HERE.lon,
    },
  ]);
});

test('leaves out the time of a sensor without one', () => {
  const { fixes, feedClockMs } = parse(dronescoutPayload(said, { timestamp: 0 }));
  expect(feedClockMs).toBeUndefined();
  expect(fixes[0]!.feedTimeMs).toBeUndefined();
});

describe('the form of a payload', () => {
  const payload = dronescoutPayload(said);

  test.each([
    ['NUL', `${payload}\0`],
    ['a line feed', `${payload}\n`],
    ['both', `${payload}\n\0`],
    ['nothing', payload],
  ])('may end in %s', (_, text) => {
    expect(parse(text).fixes).toHaveLength(1);
    expect(parse(new TextEncoder().encode(text)).fixes).toHaveLength(1);
  });

  test.each([
    ['nothing', ''],
    ['NUL', '\0'],
    ['a line feed', '\n'],
  ])('may hold several objects with %s between them', (_, between) => {
    const { fixes, refused } = parse([payload, payload, payload].join(between));
    expect([fixes.length, refused]).toEqual([3, []]);
  });

  test('loses only a broken object', () => {
    const { fixes, refused } = parse(`${payload}{"protocol":1.0,"data":{}${payload}`);
    expect([fixes.length, refused]).toEqual([2, ['unreadable']]);
  });

  test('keeps a text that contains a separator', () => {
    const text = JSON.stringify({ ...JSON.parse(payload), note: '}{' });
    expect(parse(text).fixes).toHaveLength(1);
  });
});

test.each([
  [
    'the state of the sensor',
    { protocol: 1, status: { 'sensor ID': 's', timestamp: T0_MS, status: 'normal' } },
    'not_positions',
  ],
  [
    'the place of the sensor',
    { protocol: 1, location: { latitude: 47.1, longitude: 8.1, timestamp: T0_MS } },
    'not_positions',
  ],
  ['its mobile network', { protocol: 1, 'mobile network': { PLMN: '22801' } }, 'not_positions'],
  ['an aircraft', { protocol: 1, aircraft: { address: '4B1800', latitude: 47.1, longitude: 8.1 } }, 'other_layer'],
  ['an empty message', { protocol: 1, data: {} }, 'not_positions'],
  ['another protocol', { protocol: 2, data: { UASdata: '' } }, 'unreadable'],
  ['no struct', { protocol: 1, data: { UASdata: 'AAAA' } }, 'unreadable'],
  ['a struct that is too long', { protocol: 1, data: { UASdata: 'A'.repeat(3000) } }, 'too_long'],
])('%s is refused', (_, message, cause) => {
  const { fixes, refused } = parse(JSON.stringify(message));
  expect([fixes, refused]).toEqual([[], [cause]]);
});

test('takes the sensor’s clock from a status', () => {
  const { feedClockMs } = parse(JSON.stringify({ protocol: 1, status: { timestamp: T0_MS, status: 'normal' } }));
  expect(feedClockMs).toBe(T0_MS);
});

test.each([
  ['.xz', Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0), 'compressed'],
  ['.lzma', Uint8Array.of(0x5d, 0, 0, 0x80, 0), 'compressed'],
  ['bytes that are not text', Uint8Array.of(0xff, 0xfe, 0), 'unreadable'],
  ['nothing', '', 'unreadable'],
  ['a quarter of a megabyte and more', ' '.repeat(256 * 1024 + 1), 'too_long'],
])('%s: refused as %s', (_, message, cause) => {
  expect(parse(message)).toEqual({ fixes: [], refused: [cause], feedClockMs: undefined });
});

test('makes one track of a drone with three transports', () => {
  const parser = makeDronescout({ feed: 'roof', keyOf: namedKeyOf });
  const receptions = [
    { transport: 'BLE legacy', mac: 'DF:72:11:00:00:01' },
    { transport: 'WiFi beacon', mac: '7E:60:B8:00:00:02' },
    { transport: 'WiFi NaN', mac: '7A:60:B8:00:00:03' },
  ] as const;
  const fixes = receptions.flatMap((how) => parser.parse(dronescoutPayload(said, how), T0).fixes);
  expect(fixes.map(({ trackKey }) => trackKey)).toEqual(Array(3).fill('rid serial:1581F5BKD2290000TEST'));
});

test('joins name and position of Bluetooth 4', () => {
  const parser = makeDronescout({ feed: 'roof', keyOf: namedKeyOf });
  expect(parser.parse(dronescoutPayload({ location: HERE }), T0).fixes).toEqual([]);
  expect(parser.due!(addMs(T0, 1000)).fixes).toEqual([]);
  const { fixes, refused } = parser.parse(dronescoutPayload({ basicIds: SERIAL }), addMs(T0, 1100));
  expect(fixes.map(({ trackKey }) => trackKey)).toEqual(['rid serial:1581F5BKD2290000TEST']);
  expect(refused).toEqual(['no_position']);
});

test('serves a nameless drone before a silence', () => {
  const parser = makeDronescout({ feed: 'roof', keyOf: namedKeyOf });
  parser.parse(dronescoutPayload({ location: HERE }), T0);
  expect(parser.due!(addMs(T0, 5000)).fixes).toMatchObject([{ trackKey: 'rid mac:roof:D21045000001' }]);
});

test('ignores a byte outside of values that is no text', () => {
  const payload = Buffer.from(dronescoutPayload(said, { sensor: 'roof ?' }));
  payload[payload.indexOf('?')] = 0xff;
  expect(parse(payload).fixes).toHaveLength(1);
});

test('counts an unknown field', () => {
  const { data, ...message } = JSON.parse(dronescoutPayload(said));
  expect(parse(JSON.stringify({ ...message, data: { ...data, brand_new: 1 } })).fields?.unknown).toEqual(
    new Map([['brand_new', 1]]),
  );
});
