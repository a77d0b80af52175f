import { expect, test } from 'vitest';
import { coveredPart, type MarkArea } from './covered-part.ts';

const square = (x: number, y: number): MarkArea => ({
  x,
  y,
  reachPx: 5,
  covers: (dx, dy) => Math.abs(dx) < 5 && Math.abs(dy) < 5,
});

test('the part of the marks that others cover', () => {
  expect(coveredPart([], 100, 100)).toBe(0);
  expect(coveredPart([square(20, 20), square(40, 20)], 100, 100)).toBe(0);
  expect(coveredPart([square(20, 20), square(25, 20)], 100, 100)).toBe(0.25);
  expect(coveredPart([square(20, 20), square(20, 20)], 100, 100)).toBe(0.5);
  expect(coveredPart([square(20, 20), square(20, 20), square(20, 20)], 100, 100)).toBeCloseTo(2 / 3);
});
