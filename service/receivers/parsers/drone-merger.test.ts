import { describe, expect, test } from 'vitest';
import { addMs, epochMs, instantOf } from '#lib/time/instant.ts';
import { DroneMerger, type DroneMessage } from './drone-merger.ts';
import { namedKeyOf } from './named-keys.fixture.ts';
import type { DroneId, DronePosition } from './remote-id.ts';

const T0 = instantOf('2026-11-23T03:38:28.400Z');
const BLUETOOTH = 'D21045000001';
const BEACON = '7E60B8000002';
const SERIAL: DroneId = { kind: 'serial', value: '1581F5BK' };
const OTHER: DroneId = { kind: 'serial', value: '1787F04B' };
const SESSION: DroneId = { kind: 'session', value: '01A0' };

function positionAt(lat: number): DronePosition {
  return {
    lat,
    lon: 8,
    trackTimeMs: undefined,
    altitudeM: null,
    heightAglM: null,
    speedMps: null,
    headingDeg: null,
    onGround: false,
    origin: 'broadcast',
    accuracyM: null,
    emergencyState: null,
  };
}

function merging() {
  const merger = new DroneMerger({ feed: 'roof', keyOf: namedKeyOf });
  const receive = (atS: number, message: Partial<DroneMessage>) => {
    const whole = {
      mac: BLUETOOTH,
      ids: [],
      position: 'no_position',
      feedTimeMs: undefined,
      saysTest: undefined,
    } as const;
    const { fixes, refused } = merger.add({ ...whole, ...message }, addMs(T0, atS * 1000));
    return [...fixes.map(({ trackKey, lat }) => `${trackKey} ${lat}`), ...refused];
  };
  const due = (atS: number) => merger.due(addMs(T0, atS * 1000)).map(({ trackKey, lat }) => `${trackKey} ${lat}`);
  return { merger, receive, due };
}

const at = (lat: number, ids: DroneId[] = []) => ({ position: positionAt(lat), ids });

describe('alternating name and position', () => {
  test('give the position the earlier name', () => {
    const { receive } = merging();
    expect(receive(0, { ids: [SERIAL] })).toEqual(['no_position']);
    expect(receive(0.5, at(47))).toEqual(['rid serial:1581F5BK 47']);
  });

  test('hold the position for the name', () => {
    const { receive, due } = merging();
    expect(receive(0, at(47))).toEqual([]);
    expect(receive(1, at(47.1))).toEqual([]);
    expect(due(2)).toEqual([]);
    expect(receive(2, { ids: [SERIAL] })).toEqual([
      'rid serial:1581F5BK 47',
      'rid serial:1581F5BK 47.1',
      'no_position',
    ]);
    expect(due(60)).toEqual([]);
  });

  test('record since when a held position waited', () => {
    const { merger, receive } = merging();
    receive(0, at(47));
    const [named, direct] = merger.add(
      { mac: BLUETOOTH, ids: [SERIAL], position: positionAt(48), feedTimeMs: undefined, saysTest: undefined },
      addMs(T0, 700),
    ).fixes;
    expect(named).toMatchObject({ lat: 47, queuedSinceMs: epochMs(T0) });
    expect(direct).not.toHaveProperty('queuedSinceMs');
    receive(1, { mac: BEACON, ...at(49) });
    expect(merger.due(addMs(T0, 6000))).toMatchObject([{ lat: 49, queuedSinceMs: epochMs(T0) + 1000 }]);
  });

  test('serve a nameless drone under its address after 5 s, and later at once', () => {
    const { receive, due } = merging();
    receive(0, at(47));
    expect(due(4.9)).toEqual([]);
    expect(due(5)).toEqual(['rid mac:roof:D21045000001 47']);
    expect(receive(6, at(47.1))).toEqual(['rid mac:roof:D21045000001 47.1']);
  });

  test('hold a position that is sent ten times once', () => {
    const { receive, due } = merging();
    for (let tenth = 0; tenth < 40; tenth += 1) receive(tenth / 10, at(Math.floor(tenth / 10)));
    expect(due(5)).toEqual([0, 1, 2, 3].map((lat) => `rid mac:roof:D21045000001 ${lat}`));
  });

  test('release a held position with the next message', () => {
    const { receive } = merging();
    receive(0, at(47));
    expect(receive(7, at(47.1))).toEqual(['rid mac:roof:D21045000001 47', 'rid mac:roof:D21045000001 47.1']);
  });

  test('keep the better of two kinds of name', () => {
    const { receive } = merging();
    receive(0, { ids: [SESSION] });
    expect(receive(1, at(47))).toEqual(['rid session:01A0 47']);
    receive(2, { ids: [SERIAL] });
    expect(receive(3, at(47.1))).toEqual(['rid serial:1581F5BK 47.1']);
  });
});

test('joins three addresses with one serial number', () => {
  const { receive } = merging();
  const tracks = [BLUETOOTH, BEACON, '7A60B8000003'].map((mac) => receive(0, { mac, ...at(47, [SERIAL]) }));
  expect(new Set(tracks.flat())).toEqual(new Set(['rid serial:1581F5BK 47']));
});

describe('two serial numbers at one address', () => {
  test('are two drones', () => {
    const { receive } = merging();
    expect(receive(0, at(47, [SERIAL]))).toEqual(['rid serial:1581F5BK 47']);
    expect(receive(1, at(46, [OTHER]))).toEqual(['rid serial:1787F04B 46']);
    expect(receive(2, at(47, [SERIAL]))).toEqual(['rid serial:1581F5BK 47']);
  });

  test('give no name to a position without one', () => {
    const { receive } = merging();
    receive(0, { ids: [SERIAL] });
    receive(1, { ids: [OTHER] });
    expect(receive(2, at(47))).toEqual(['no_identity']);
  });

  test('are forgotten 120 s after their last message', () => {
    const { receive } = merging();
    receive(0, { ids: [SERIAL] });
    receive(60, { ids: [OTHER] });
    receive(121, { ids: [OTHER] });
    expect(receive(122, at(47))).toEqual(['rid serial:1787F04B 47']);
  });
});

test('forgets an address 120 s after its last message', () => {
  const { receive } = merging();
  receive(0, { ids: [SERIAL] });
  expect(receive(119, at(47))).toEqual(['rid serial:1581F5BK 47']);
  // Any message makes the merger forget.
  receive(240, { mac: BEACON });
  expect(receive(241, at(47.1))).toEqual([]);
});

test('refuses nameless messages of a format without addresses', () => {
  const { receive } = merging();
  expect(receive(0, { mac: undefined, ...at(47, [SERIAL]) })).toEqual(['rid serial:1581F5BK 47']);
  expect(receive(0, { mac: undefined, ...at(47) })).toEqual(['no_identity']);
});

test('marks a test until the drone says otherwise', () => {
  const { merger } = merging();
  const isTest = (ids: DroneId[], saysTest: boolean | undefined) =>
    merger.add({ mac: BLUETOOTH, feedTimeMs: undefined, saysTest, ...at(47, ids) }, T0).fixes[0]?.testBroadcast;
  expect(isTest([SERIAL], undefined)).toBe(false);
  expect(isTest([SERIAL], true)).toBe(true);
  expect(isTest([SERIAL], undefined)).toBe(true);
  expect(isTest([SERIAL], false)).toBe(false);
  expect(isTest([{ kind: 'serial', value: '112624150A90E3AE1EC0' }], undefined)).toBe(true);
});

describe('a flood', () => {
  const macOf = (number: number) => number.toString(16).toUpperCase().padStart(12, '0');

  test('of addresses: forgets the least recent ones, and counts their held positions', () => {
    const { receive } = merging();
    receive(0, { mac: BLUETOOTH, ids: [SERIAL] });
    receive(0, { mac: BEACON, ...at(46) });
    const refused = Array.from({ length: 4096 }, (_, index) => receive(1, { mac: macOf(index + 1), ...at(47) })).flat();
    expect(refused).toEqual(['no_identity']);
    expect(receive(2, { mac: BLUETOOTH, ...at(47) })).not.toContain('rid serial:1581F5BK 47');
  });

  test('of nameless positions from one address: holds the last 16, and counts the others', () => {
    const { receive, due } = merging();
    const refused = Array.from({ length: 100 }, (_, index) => receive(1 + index / 100, at(index))).flat();
    expect(refused).toEqual(Array.from({ length: 84 }, () => 'no_identity'));
    expect(due(10)).toHaveLength(16);
  });

  test('of names at one address: keeps 8', () => {
    const { receive } = merging();
    for (let number = 0; number < 1000; number += 1) receive(0, { ids: [{ kind: 'serial', value: `S${number}` }] });
    expect(receive(1, at(47))).toEqual(['no_identity']);
  });
});
