import { describe, expect, test } from 'vitest';
import { addMs, instantOf } from '#lib/time/instant.ts';
import type { Fix } from '../fix.ts';
import { makeDragonsync } from './dragonsync.ts';
import { dragonsyncRow } from './dragonsync-row.fixture.ts';
import { namedKeyOf } from './named-keys.fixture.ts';

const T0 = instantOf('2026-11-23T03:38:28.400Z');
const T0_S = Date.parse('2026-11-23T03:38:28.400Z') / 1000;
const HERE = { lat: 47.123_456_7, lon: 8.765_432_1 };

function feed() {
  const parser = makeDragonsync({ feed: 'kit', keyOf: namedKeyOf });
  return (message: unknown, atS = 0) => parser.parse(JSON.stringify(message), addMs(T0, atS * 1000));
}

function fixOf(known: Readonly<Record<string, unknown>>): Fix {
  const { fixes, refused } = feed()(dragonsyncRow({ ...HERE, ...known }));
  if (!fixes[0]) throw new Error(refused.join());
  return fixes[0];
}

test('reads the kit’s values in the contract’s units', () => {
  const known = {
    alt: 530.5,
    height: 42,
    height_type: 'AGL',
    speed: 12.25,
    direction: 271,
    op_status: 'Airborne',
    horizontal_accuracy: '<3 m',
    rid_timestamp: '38 min 27.0 s',
    observed_at: T0_S - 0.5,
  };
  expect(fixOf(known)).toEqual({
    ...HERE,
    layer: 'rid',
    trackKey: 'rid serial:1581F5BKD2290000TEST',
    feedTimeMs: T0_S * 1000 - 500,
    trackTimeMs: Date.parse('2026-11-23T03:38:27.000Z'),
    altitudeM: 530.5,
    heightAglM: 42,
    speedMps: 12.25,
    headingDeg: 271,
    onGround: false,
    origin: 'broadcast',
    accuracyM: 3,
    emergencyState: null,
    testBroadcast: false,
  });
});

test.each<[keyof Fix, Record<string, unknown>, unknown]>([
  ['speedMps', { speed: 0 }, null],
  ['speedMps', { speed: 255 }, null],
  ['speedMps', { speed: '12.5 m/s' }, null],
  ['headingDeg', { direction: 0 }, null],
  ['headingDeg', { direction: 361 }, null],
  ['headingDeg', { direction: null }, null],
  ['headingDeg', { direction: 360 }, null],
  // Computed by the kit from two positions.
  ['headingDeg', { direction: 123.456_789 }, null],
  ['altitudeM', { alt: 0 }, null],
  ['altitudeM', { alt: 65_531 }, null],
  ['altitudeM', { alt: -1000 }, null],
  ['altitudeM', { alt: 0, pressure_altitude: 480 }, 480],
  ['heightAglM', { height: 42 }, null],
  ['heightAglM', { height: 42, height_type: 'Above Takeoff' }, null],
  ['heightAglM', { height: 0, height_type: 'AGL' }, null],
  ['heightAglM', { height: 42, height_type: 1 }, 42],
  ['accuracyM', { horizontal_accuracy: '' }, null],
  ['accuracyM', { horizontal_accuracy: '>=18.52 km (10 NM) or Unknown' }, null],
  ['accuracyM', { horizontal_accuracy: '<18.52 km (10 NM)' }, 18_520],
  ['accuracyM', { horizontal_accuracy: '< 10 m' }, 10],
  ['accuracyM', { horizontal_accuracy: 10 }, null],
  ['trackTimeMs', { rid_timestamp: 'Unknown' }, undefined],
  ['trackTimeMs', { rid_timestamp: '2307' }, undefined],
  ['trackTimeMs', { rid_timestamp: 360 }, undefined],
  ['trackTimeMs', { rid_timestamp: '8 min 27.0 s' }, undefined],
  ['onGround', { op_status: 'Ground' }, true],
  ['emergencyState', { op_status: 'Emergency' }, 'emergency'],
  ['feedTimeMs', { observed_at: null }, undefined],
  ['feedTimeMs', { observed_at: null, last_update_time: T0_S }, T0_S * 1000],
  ['testBroadcast', { description: 'Drone ID test flight---' }, true],
  ['testBroadcast', { id: 'drone-112624150A90E3AE1EC0' }, true],
  ['trackKey', { id: 'drone-1581f5bk' }, 'rid serial:1581F5BK'],
  ['trackKey', { id: 'drone-N1234', id_type: 'CAA Assigned Registration ID' }, 'rid registration:N1234'],
  ['trackKey', { id: 'drone-AABBCCDDEEFF' }, 'rid mac:kit:AABBCCDDEEFF'],
  ['trackKey', { id: 'drone-AABBCCDDEEFF', caa_id: 'N1234' }, 'rid registration:N1234'],
  ['trackKey', { id: 'drone-unknown', mac: 'aa:bb:cc:dd:ee:ff' }, 'rid mac:kit:AABBCCDDEEFF'],
])('%s of %o is %s', (field, known, expected) => {
  expect(fixOf(known)[field]).toBe(expected);
});

test.each([
  ['the kit’s own place under the name of an alert', dragonsyncRow({ ...HERE, id: 'drone-alert' }), 'station_as_drone'],
  ['another alert', dragonsyncRow({ ...HERE, id: 'drone-alert-5756' }), 'station_as_drone'],
  ['no place', dragonsyncRow({}), 'no_position'],
  ['an impossible place', dragonsyncRow({ lat: 91, lon: 8 }), 'impossible_value'],
  ['no name', dragonsyncRow({ ...HERE, id: 'drone-unknown' }), 'no_identity'],
  ['an aircraft', { ...dragonsyncRow(HERE), track_type: 'aircraft', icao: '4b1800' }, 'other_layer'],
  ['the kit', { id: 'wardragon-G6', latitude: 47.1, longitude: 8.1, cpu_usage: 3 }, 'not_positions'],
  ['a pilot’s place', { latitude: 47.1, longitude: 8.1, gps_accuracy: 0 }, 'not_positions'],
  ['a signal', { uid: 'fpv-1', lat: 47.1, lon: 8.1, radius_m: 15 }, 'not_positions'],
  ['a list', [], 'unreadable'],
])('%s is refused', (_, message, cause) => {
  const { fixes, refused } = feed()(message);
  expect([fixes, refused]).toEqual([[], [cause]]);
});

describe('repeated rows', () => {
  test('count once for each time of observation', () => {
    const parse = feed();
    const row = dragonsyncRow({ ...HERE, observed_at: T0_S });
    expect(parse(row, 0).fixes).toHaveLength(1);
    for (let second = 1; second < 60; second += 1) expect(parse(row, second).fixes).toEqual([]);
    expect(parse({ ...row, observed_at: T0_S + 59 }, 60).fixes).toHaveLength(1);
  });

  test('tell nothing about the kit’s clock', () => {
    const parse = feed();
    const row = dragonsyncRow({ ...HERE, observed_at: T0_S });
    expect(parse(row, 0).feedClockMs).toBe(T0_S * 1000);
    expect(parse(row, 30).feedClockMs).toBeUndefined();
  });

  test('count once for each place of an older kit without times', () => {
    const parse = feed();
    expect(parse(dragonsyncRow(HERE), 0).fixes).toHaveLength(1);
    expect(parse(dragonsyncRow(HERE), 1).fixes).toEqual([]);
    expect(parse(dragonsyncRow({ ...HERE, lat: 47.2 }), 2).fixes).toHaveLength(1);
    expect(parse(dragonsyncRow({ ...HERE, lat: 47.2 }), 3).fixes).toEqual([]);
  });

  test('are remembered for 4,096 drones', () => {
    const parse = feed();
    const row = (number: number) => ({ ...HERE, track_type: 'drone', id: `drone-S${number}`, observed_at: T0_S });
    const all = Array.from({ length: 5000 }, (_, index) => row(index));
    expect(parse({ drones: all }).fixes).toHaveLength(5000);
    expect(parse({ drones: all.slice(-4000) }, 1).fixes).toEqual([]);
    expect(parse({ drones: all.slice(0, 100) }, 1).fixes).toHaveLength(100);
  });
});

test('reads all drones of /drones, and refuses its aircraft', () => {
  const drones = [
    dragonsyncRow({ ...HERE, observed_at: T0_S }),
    dragonsyncRow({ ...HERE, id: 'drone-1787F04B', observed_at: T0_S + 1 }),
    { track_type: 'aircraft', icao: '4b1800', lat: 47, lon: 8 },
  ];
  const { fixes, refused, feedClockMs } = feed()({ drones });
  expect([fixes.length, refused, feedClockMs]).toEqual([2, ['other_layer'], (T0_S + 1) * 1000]);
});

describe('damaged lines', () => {
  const parseText = (text: string) => makeDragonsync({ feed: 'kit', keyOf: namedKeyOf }).parse(text, T0);
  const rowText = (id: string, change = {}) => JSON.stringify(dragonsyncRow({ ...HERE, id, ...change }));

  test('lose only a row that is no JSON, or cut at the end', () => {
    const broken = rowText('drone-B').replace('"description":""', '"description":"a "b" c"');
    const { fixes, refused } = parseText(
      `{"drones":[${rowText('drone-A1')},${broken},${rowText('drone-C1')},${rowText('drone-D1').slice(0, 90)}`,
    );
    expect([fixes.map(({ trackKey }) => trackKey), refused]).toEqual([
      ['rid serial:A1', 'rid serial:C1'],
      ['unreadable', 'unreadable'],
    ]);
  });

  test('make Python’s NaN null and count it', () => {
    const { fixes, fields } = parseText(rowText('drone-A1', { alt: 7 }).replace('"alt":7', '"alt":NaN'));
    expect([fixes[0]?.altitudeM, fields?.unusable]).toEqual([null, new Map([['alt', 1]])]);
  });

  test('count an unusable value and an unknown field', () => {
    const { fixes, fields } = parseText(
      rowText('drone-A1', { speed: '12.5 m/s', observed_at: 'now', last_update_time: T0_S, brand_new: 1 }),
    );
    expect(fixes).toMatchObject([{ speedMps: null, feedTimeMs: T0_S * 1000 }]);
    expect(fields).toEqual({
      unknown: new Map([['brand_new', 1]]),
      unusable: new Map([
        ['observed_at', 1],
        ['speed', 1],
      ]),
    });
  });
});
