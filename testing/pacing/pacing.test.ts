import { beforeAll, describe, expect, test } from 'vitest';
import { type PacingFigures, pacingFigures } from './pacing-figures.ts';

// Not the days of the benchmark: about a hundred others, the same each time.
let figures: PacingFigures;
beforeAll(async () => {
  figures = await pacingFigures(120, 50_001, 2);
});

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a hundred random days', () => {
  test('as the only consumer, none of our requests finds the account empty', () => {
    expect(figures.alone.requests).toBeGreaterThan(10_000);
    expect(figures.alone.overspent).toBe(0);
  });

  test('with another consumer, few of our requests find the account empty, and the simulation notices them', () => {
    expect(figures.shared.overspent).toBeGreaterThan(0);
    expect(figures.shared.overspent).toBeLessThan(figures.shared.requests / 20);
  });

  test('days with viewers from midnight to midnight use 94% of their allowance', () => {
    expect(figures.used.length).toBeGreaterThan(20);
    expect(mean(figures.used)).toBeGreaterThanOrEqual(0.94);
  });

  test('viewers see younger pictures than with equal intervals', () => {
    expect(figures.ageRatios.length).toBeGreaterThan(10);
    expect(mean(figures.ageRatios)).toBeLessThan(0.95);
  });
});
