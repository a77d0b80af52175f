import { expect, test } from 'vitest';
import { lengthIn, speedIn } from './units.ts';

test('feet, knots and miles per hour follow the international definitions', () => {
  expect(lengthIn('aviation', 304.8)).toBeCloseTo(1000, 9);
  expect(lengthIn('imperial', 0.3048)).toBe(1);
  expect(speedIn('aviation', 1852 / 3600)).toBe(1);
  expect(speedIn('imperial', 44.704)).toBeCloseTo(100, 9);
});

test('metric values are unchanged', () => {
  expect(lengthIn('metric', 123.456)).toBe(123.456);
  expect(speedIn('metric', 7.89)).toBe(7.89);
});
