import { describe, expect, test } from 'vitest';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { colouredValue } from './draw-picture.ts';
import { confidenceBits } from './mark-style.ts';
import { makeTrackColumns } from './track-columns.ts';

const columns = makeTrackColumns(2);
const [aircraft, drone] = [0, 1];
columns.style.set([confidenceBits('single'), FLAG_DRONE | confidenceBits('stale')]);
columns.altitudeM.set([3000, 500]);
columns.heightAglM.set([Number.NaN, 60]);
columns.speedMps.set([220, 12]);
columns.observedAtMs.set([1000, 4000]);

describe('colouredValue', () => {
  test('by altitude, drones have their height above ground, and never their altitude', () => {
    expect(colouredValue('altitude', columns, aircraft, 0)).toBe(3000);
    expect(colouredValue('altitude', columns, drone, 0)).toBe(60);
  });

  test('by height, an aircraft without one has none, whatever its altitude', () => {
    expect(colouredValue('height', columns, aircraft, 0)).toBeNaN();
    expect(colouredValue('height', columns, drone, 0)).toBe(60);
  });

  test('speed is in m/s, age in seconds at the time that is shown, confidence the class of the outline', () => {
    expect(colouredValue('speed', columns, aircraft, 0)).toBe(220);
    expect(colouredValue('age', columns, drone, 9500)).toBe(5.5);
    expect(colouredValue('confidence', columns, aircraft, 0)).toBe(1);
    expect(colouredValue('confidence', columns, drone, 0)).toBe(3);
  });
});
