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
const expiresAt = addMs(drone.observedAt, 60_000);

describe('headValues', () => {
  test('are height, speed, heading and age of a drone', () => {
    expect(headValues({ position: drone, expiresAt, gone: false }, now, 'metric')).toEqual([
      { label: 'Height', value: '84 m' },
      { label: 'Speed', value: '12 m/s' },
      { label: 'Heading', value: '245°' },
      { label: 'Age', value: '3 s' },
    ]);
  });

  test('begin with the altitude of an aircraft', () => {
    const [first] = headValues({ position: { ...drone, kind: 'aircraft' }, expiresAt, gone: false }, now, 'aviation');
    expect(first).toEqual({ label: 'Altitude', value: '1706 ft' });
  });

  test('have no value for what was not reported', () => {
    const position: Position = { ...plainPosition, kind: 'drone' };
    const values = headValues({ position, expiresAt, gone: false }, now, 'metric');
    expect(values.slice(0, 3).map(({ value }) => value)).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    { gone: true, afterMs: 3000 },
    { gone: false, afterMs: 60_000 },
  ])('say that the position expired (%j)', ({ gone, afterMs }) => {
    const last = headValues({ position: drone, expiresAt, gone }, addMs(drone.observedAt, afterMs), 'metric').at(-1);
    expect(last?.label).toBe('Expired');
  });
});
