import { describe, expect, it } from 'vitest';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { scaleTicks } from './scale-ticks.ts';

describe('scaleTicks', () => {
  it('spaces the numbers of every scale equally from 0, so that each lines up with its colour', () => {
    for (const units of UNIT_SYSTEMS) {
      for (const kind of ['aircraft', 'drone'] as const) {
        const { values } = scaleTicks(kind, units);
        const step = (values[1] as number) - (values[0] as number);
        expect(values).toEqual(values.map((_, index) => index * step));
      }
    }
  });

  it('gives the top in metres, whatever the unit', () => {
    expect(scaleTicks('aircraft', 'metric').topM).toBe(12_000);
    expect(scaleTicks('aircraft', 'aviation').topM).toBeCloseTo(12_192, 6);
  });
});
