import { beforeAll, describe, expect, test } from 'vitest';
import { type PacingFigures, pacingFigures } from './pacing-figures.ts';

// The same days as the benchmark's are not needed here: a hundred others, the same each time.
let figures: PacingFigures;
beforeAll(() => {
  figures = pacingFigures(120, 50_001, 2);
});

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a hundred random days', () => {
  test('with nobody else on the account, no request of ours ever finds it empty', () => {
    expect(figures.alone.requests).toBeGreaterThan(10_000);
    expect(figures.alone.overspent).toBe(0);
  });

  test('a request that finds the account empty would be noticed: with somebody else on it there are some, and few', () => {
    expect(figures.shared.overspent).toBeGreaterThan(0);
    expect(figures.shared.overspent).toBeLessThan(figures.shared.requests / 20);
  });

  test('days that are watched from midnight to midnight use 94% of their allowance', () => {
    expect(figures.used.length).toBeGreaterThan(20);
    expect(mean(figures.used)).toBeGreaterThanOrEqual(0.94);
  });

  test('viewers see younger pictures than with equal intervals', () => {
    expect(figures.ageRatios.length).toBeGreaterThan(10);
    expect(mean(figures.ageRatios)).toBeLessThan(0.95);
  });
});
