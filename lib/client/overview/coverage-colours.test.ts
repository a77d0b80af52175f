import { expect, test } from 'vitest';
import { contrast, rgbOfHex } from '#lib/model/contrast.fixture.ts';
import { COVERAGE_COLOURS } from './coverage-colours.ts';

test.each(['dark', 'light'] as const)(
  '%s: numbers are readable on every step, and no two steps look the same',
  (theme) => {
    const { steps } = COVERAGE_COLOURS[theme];
    for (const { fill, text } of steps) expect(contrast(rgbOfHex(fill), rgbOfHex(text))).toBeGreaterThanOrEqual(4.5);
    for (const [index, { fill }] of steps.slice(1).entries())
      expect(contrast(rgbOfHex(fill), rgbOfHex(steps[index]!.fill))).toBeGreaterThanOrEqual(1.3);
  },
);
