import { expect, test } from 'vitest';
import { countdownText, durationText } from './duration-text.ts';

test.each([
  [-5000, '0 s'],
  [0, '0 s'],
  [999, '0 s'],
  [99_999, '99 s'],
  [100_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [172_799_999, '47 h 59 min'],
  [172_800_000, '2 d'],
])('%i ms reads as %s: rounded down', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [-1, 'now'],
  [1, 'in 1 s'],
  [11_200, 'in 12 s'],
  [99_000, 'in 99 s'],
  [99_001, 'in 2 min'],
  [3_599_000, 'in 1 h'],
  [4_920_001, 'in 1 h 23 min'],
])('in %i ms reads as %s: never later than that', (ms, text) => {
  expect(countdownText(ms)).toBe(text);
});
