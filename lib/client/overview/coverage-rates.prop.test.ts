import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rateSteps, STEPS_MAX, stepOf } from './coverage-rates.ts';

const rates = fc.array(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), { maxLength: 300 });

test('Steps ascend from 0, are few, and each has a cell', () => {
  fc.assert(
    fc.property(rates, (each) => {
      const steps = rateSteps(each);
      expect(steps[0]).toBe(0);
      expect(steps.length).toBeLessThanOrEqual(STEPS_MAX);
      for (const [index, bound] of steps.slice(1).entries()) expect(bound).toBeGreaterThan(steps[index] as number);
      if (each.length > 0) expect(new Set(each.map((rate) => stepOf(steps, rate))).size).toBe(steps.length);
    }),
  );
});

test('One stray does not stretch the scale', () => {
  const several = fc.array(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), { minLength: 5, maxLength: 300 });
  fc.assert(
    fc.property(several, fc.double({ min: 1e7, max: 1e12, noNaN: true }), (each, stray) => {
      expect(rateSteps([...each, stray]).at(-1)).toBeLessThanOrEqual(Math.max(...each) * 1.05);
    }),
  );
});
