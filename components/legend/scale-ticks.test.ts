import { describe, expect, it } from 'vitest';
import { SPEED_TOP_MPS } from '#lib/model/mark-colour.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { scaleTicks } from './colouring-text.ts';

const SCALED = ['altitude', 'height', 'speed', 'age'] as const;
const KINDS = ['aircraft', 'drone'] as const;

describe('scaleTicks', () => {
  it('spaces the numbers of every scale equally from 0, so that each lines up with its colour', () => {
    for (const units of UNIT_SYSTEMS) {
      for (const colouring of SCALED) {
        for (const kind of KINDS) {
          const { values } = scaleTicks(colouring, kind, units);
          const step = (values[1] as number) - (values[0] as number);
          expect(values).toEqual(values.map((_, index) => index * step));
        }
      }
    }
  });

  it('gives the top in metres and metres per second, whatever the unit', () => {
    expect(scaleTicks('altitude', 'aircraft', 'metric').top).toBe(12_000);
    expect(scaleTicks('altitude', 'aircraft', 'aviation').top).toBeCloseTo(12_192, 6);
    expect(scaleTicks('speed', 'drone', 'aviation').top).toBeCloseTo(30.867, 3);
  });

  it('leaves at most a tenth of a scale of speed unsaid', () => {
    for (const units of UNIT_SYSTEMS)
      for (const kind of KINDS) {
        const part = scaleTicks('speed', kind, units).top / SPEED_TOP_MPS[kind];
        expect(part).toBeGreaterThan(0.85);
        expect(part).toBeLessThan(1.1);
      }
  });
});
