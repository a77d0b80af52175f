import { expect, test } from 'vitest';
import { instantOf } from '#lib/time/instant.ts';
import { odidStruct, type SaidByDrone, type SaidLocation, UNKNOWN_LOCATION } from './odid-struct.fixture.ts';
import { readOdidStruct } from './odid-struct.ts';
import type { DronePosition } from './remote-id.ts';

const RECEIVED_AT = instantOf('2026-11-23T03:38:28.400Z');
const HERE = { lat: 47.123_456_7, lon: 8.765_432_1 };

function read(said: SaidByDrone) {
  return readOdidStruct(odidStruct(said), RECEIVED_AT)!;
}

function positionOf(location: Partial<SaidLocation>): DronePosition {
  const { position } = read({ location: { ...HERE, ...location } });
  if (typeof position === 'string') throw new Error(position);
  return position;
}

test('reads a full message in the contract’s units', () => {
  const said = {
    status: 2,
    directionDeg: 271,
    speedMps: 12.25,
    altitudeBaroM: 480,
    altitudeGeoM: 530.5,
    heightType: 1,
    heightM: 42.5,
    horizontalAccuracy: 11,
    sinceHourS: 2307,
  };
  expect(positionOf(said)).toEqual({
    ...HERE,
    headingDeg: 271,
    speedMps: 12.25,
    altitudeM: 530.5,
    heightAglM: 42.5,
    accuracyM: 3,
    trackTimeMs: Date.parse('2026-11-23T03:38:27.000Z'),
    onGround: false,
    origin: 'broadcast',
    emergencyState: null,
  });
});

test('makes everything but the place null if nothing else was sent', () => {
  expect(positionOf({})).toEqual({
    ...HERE,
    headingDeg: null,
    speedMps: null,
    altitudeM: null,
    heightAglM: null,
    accuracyM: null,
    trackTimeMs: undefined,
    onGround: false,
    origin: 'broadcast',
    emergencyState: null,
  });
});

test.each<[keyof DronePosition, Partial<SaidLocation>, unknown]>([
  ['headingDeg', { directionDeg: 0 }, 0],
  ['headingDeg', { directionDeg: 359 }, 359],
  ['headingDeg', { directionDeg: 360 }, 0],
  ['headingDeg', { directionDeg: 361 }, null],
  ['headingDeg', { directionDeg: -1 }, null],
  ['headingDeg', { directionDeg: Number.NaN }, null],
  ['speedMps', { speedMps: 0 }, 0],
  ['speedMps', { speedMps: 254.25 }, 254.25],
  ['speedMps', { speedMps: 255 }, null],
  ['speedMps', { speedMps: Number.POSITIVE_INFINITY }, null],
  ['altitudeM', { altitudeGeoM: 0 }, 0],
  ['altitudeM', { altitudeGeoM: -999.5 }, -999.5],
  ['altitudeM', { altitudeGeoM: -1000, altitudeBaroM: 480 }, 480],
  ['altitudeM', { altitudeGeoM: 31_767.5 }, 31_767.5],
  ['altitudeM', { altitudeGeoM: 31_768 }, null],
  ['heightAglM', { heightType: 1, heightM: 0 }, 0],
  ['heightAglM', { heightType: 1, heightM: -1000 }, null],
  ['heightAglM', { heightType: 0, heightM: 42 }, null],
  ['accuracyM', { horizontalAccuracy: 0 }, null],
  ['accuracyM', { horizontalAccuracy: 1 }, 18_520],
  ['accuracyM', { horizontalAccuracy: 9 }, 30],
  ['accuracyM', { horizontalAccuracy: 12 }, 1],
  ['accuracyM', { horizontalAccuracy: 13 }, null],
  ['onGround', { status: 1 }, true],
  ['onGround', { status: 0 }, false],
  ['emergencyState', { status: 3 }, 'emergency'],
  ['emergencyState', { status: 4 }, null],
])('%s of %o is %s', (field, location, expected) => {
  expect(positionOf(location)[field]).toBe(expected);
});

test.each([
  ['of this hour', 2307, '2026-11-23T03:38:27.000Z'],
  ['in steps of a tenth', 2307.3, '2026-11-23T03:38:27.300Z'],
  ['a little ahead of us', 2320, '2026-11-23T03:38:40.000Z'],
  ['a minute ago', 2248.4, '2026-11-23T03:37:28.400Z'],
  ['more than a minute ago', 2248.3, undefined],
  ['more than a minute ahead', 2368.5, undefined],
  ['unknown', 65_535, undefined],
  ['beyond the hour', 3600.1, undefined],
  ['no number', Number.NaN, undefined],
])('reads a time %s', (_, sinceHourS, expected) => {
  expect(positionOf({ sinceHourS }).trackTimeMs).toBe(expected && Date.parse(expected));
});

test.each([
  ['2026-11-23T04:00:00.500Z', 3599.8, '2026-11-23T03:59:59.800Z'],
  ['2026-11-23T03:59:59.800Z', 0.2, '2026-11-23T04:00:00.200Z'],
  ['2026-11-23T04:00:00.000Z', 3600, '2026-11-23T04:00:00.000Z'],
  ['2026-01-01T00:00:10.000Z', 3590, '2025-12-31T23:59:50.000Z'],
])('dates a message received at %s with the time %s to the nearest hour', (receivedAt, sinceHourS, expected) => {
  const bytes = odidStruct({ location: { ...HERE, sinceHourS } });
  expect(readOdidStruct(bytes, instantOf(receivedAt))!.position).toMatchObject({ trackTimeMs: Date.parse(expected) });
});

test.each<[string, SaidByDrone, unknown]>([
  ['no Location message', { basicIds: [] }, 'no_position'],
  ['both 0: unknown', { location: UNKNOWN_LOCATION }, 'no_position'],
  ['on the equator', { location: { lat: 0, lon: 8 } }, { lat: 0, lon: 8 }],
  ['on the meridian of Greenwich', { location: { lat: 51, lon: 0 } }, { lat: 51, lon: 0 }],
  ['beyond a pole', { location: { lat: 90.1, lon: 8 } }, 'impossible_value'],
  ['beyond 180°', { location: { lat: 47, lon: -180.5 } }, 'impossible_value'],
  ['no number', { location: { lat: Number.NaN, lon: 8 } }, 'impossible_value'],
])('reads a place %s', (_, said, expected) => {
  const { position } = read(said);
  if (typeof expected === 'string') expect(position).toBe(expected);
  else expect(position).toMatchObject(expected as object);
});

test.each<[string, SaidByDrone['basicIds'], unknown]>([
  ['a serial number', [{ idType: 1, id: '1581F5BKD2290000TEST' }], [{ kind: 'serial', value: '1581F5BKD2290000TEST' }]],
  ['padded, in lower case', [{ idType: 1, id: ' 1581f5bk \t' }], [{ kind: 'serial', value: '1581F5BK' }]],
  ['a registration', [{ idType: 2, id: 'CHE.1A2B3C' }], [{ kind: 'registration', value: 'CHE.1A2B3C' }]],
  ['a UUID', [{ idType: 3, id: Uint8Array.of(0, 255, 3) }], [{ kind: 'uuid', value: '00FF03' }]],
  ['a session', [{ idType: 4, id: Uint8Array.of(1, 160) }], [{ kind: 'session', value: '01A0' }]],
  ['none', [{ idType: 0, id: '1581F5BK' }], []],
  ['only padding', [{ idType: 1, id: '\0\0' }], []],
  ['what stands for unknown', [{ idType: 1, id: 'Unknown' }], []],
])('reads an id that is %s', (_, basicIds, expected) => {
  expect(read({ ...(basicIds && { basicIds }) }).ids).toEqual(expected);
});

test('reads a second Basic ID message', () => {
  const basicIds = [
    { idType: 4, id: Uint8Array.of(7) },
    { idType: 1, id: '1581F5BK' },
  ];
  expect(read({ basicIds }).ids.map(({ kind }) => kind)).toEqual(['session', 'serial']);
});

test.each([
  [undefined, undefined],
  ['', false],
  ['Drone ID test flight---', true],
  ['DEMO', true],
  ['Simulation', true],
  ['Contest photography', false],
])('reads the test flag of the description %o as %s', (selfId, expected) => {
  expect(read({ selfId }).saysTest).toBe(expected);
});

test.each([0, 25, 913, 1025, 4096])('refuses %d bytes', (length) => {
  expect(readOdidStruct(new Uint8Array(length).fill(1), RECEIVED_AT)).toBeUndefined();
});

test('reads the struct from the middle of a buffer', () => {
  const bytes = odidStruct({ location: { ...HERE, status: 2 } });
  const inside = Buffer.concat([Buffer.alloc(3, 9), bytes]).subarray(3);
  expect(readOdidStruct(inside, RECEIVED_AT)).toEqual(readOdidStruct(bytes, RECEIVED_AT));
});
