import { describe, expect, it } from 'vitest';
import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED } from './mark-style.ts';
import { emergencyNumber, nextEmergency } from './next-emergency.ts';

const drawn = (...marks: readonly (readonly [slot: number, style: number])[]) => ({
  slot: Uint32Array.from(marks, ([slot]) => slot),
  style: Uint16Array.from(marks, ([, style]) => style),
  emergencies: marks.flatMap(([, style], index) => (style & MARK_EMERGENCY ? [index] : [])),
});
const picture = drawn(
  [2, MARK_EMERGENCY | FLAG_SIMULATED],
  [3, 0],
  [5, MARK_EMERGENCY | MARK_EXPIRED],
  [7, MARK_EMERGENCY],
  [8, MARK_EMERGENCY | FLAG_TEST],
  [9, MARK_EMERGENCY],
);

describe('nextEmergency', () => {
  it('visits each emergency once, real ones first and simulated ones last, and then begins again', () => {
    const visited: (number | undefined)[] = [];
    let slot: number | undefined;
    for (let press = 0; press < 6; press++) {
      slot = nextEmergency(picture, slot);
      visited.push(slot);
    }
    expect(visited).toEqual([7, 9, 5, 8, 2, 7]);
    expect(visited.map((at) => emergencyNumber(picture, at))).toEqual([1, 2, 3, 4, 5, 1]);
    expect(emergencyNumber(picture, 3)).toBeUndefined();
  });

  it('begins with the most urgent one while something else is selected', () => {
    expect(nextEmergency(picture, 3)).toBe(7);
    expect(nextEmergency(picture, 99)).toBe(7);
  });

  it('finds nothing without an emergency', () => {
    expect(nextEmergency(drawn([1, 0]), undefined)).toBeUndefined();
    expect(nextEmergency(drawn(), 1)).toBeUndefined();
  });
});
