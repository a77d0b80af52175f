import { describe, expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { headValues } from './track-fields.tsx';

const drone: Position = {
  ...plainPosition,
  kind: 'drone',
  heightAglM: 84,
  altitudeM: 520,
  speedMps: 12,
  headingDeg: 245,
};
const now = addMs(drone.observedAt, 3000);
const home = { lon: drone.lon, lat: drone.lat - 0.15 };
const expiresAt = addMs(drone.observedAt, 60_000);

describe('headValues', () => {
  test('are height, speed, the way from home and age of a drone', () => {
    expect(headValues({ position: drone, expiresAt, gone: false }, now, { units: 'metric', home })).toEqual([
      { label: 'Height', value: '84 m' },
      { label: 'Speed', value: '12 m/s' },
      { label: 'From home', value: '17 km N' },
      { label: 'Age', value: '3 s' },
    ]);
  });

  test('begin with the altitude of an aircraft', () => {
    const [first] = headValues({ position: { ...drone, kind: 'aircraft' }, expiresAt, gone: false }, now, {
      units: 'aviation',
      home,
    });
    expect(first).toEqual({ label: 'Altitude', value: '1706 ft' });
  });

  test('have no value for what was not reported', () => {
    const position: Position = { ...plainPosition, kind: 'drone' };
    const values = headValues({ position, expiresAt, gone: false }, now, { units: 'metric', home });
    expect(values.slice(0, 2).map(({ value }) => value)).toEqual([undefined, undefined]);
  });

  test.each([
    { gone: true, afterMs: 3000 },
    { gone: false, afterMs: 60_000 },
  ])('say that the position expired (%j)', ({ gone, afterMs }) => {
    const last = headValues({ position: drone, expiresAt, gone }, addMs(drone.observedAt, afterMs), {
      units: 'metric',
      home,
    }).at(-1);
    expect(last?.label).toBe('Age, expired');
  });
});
