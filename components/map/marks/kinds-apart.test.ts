import { describe, expect, test } from 'vitest';
import { kindsApart, scalesApart } from './kinds-apart.fixture.ts';

const ZOOMS = [1, 2, 3, 4, 5, 6, 7, 7.4, 7.5, 8, 9, 11, 13, 14, 18];

describe.each(['small', 'normal', 'large'] as const)('%s marks, at every zoom and with any heading', (size) => {
  test.each([
    ['with', true],
    ['without', false],
  ])('a drone and an aircraft %s headings differ by a third of the drone, which is at least 12 px wide', (_, known) => {
    for (const zoom of ZOOMS) {
      const { differingFraction, differingPx, dronePx } = kindsApart(zoom, size, known);
      expect(differingFraction, `part at zoom ${zoom}`).toBeGreaterThan(1 / 3);
      expect(differingPx, `pixels at zoom ${zoom}`).toBeGreaterThan(50);
      expect(dronePx, `width at zoom ${zoom}`).toBeGreaterThanOrEqual(12);
    }
  });
});

test.each(Object.entries(scalesApart()))('the colours of drones and aircraft differ with %s', (_, difference) => {
  // OKLab times 100; a difference of 2 is visible.
  expect(difference).toBeGreaterThan(10);
});
