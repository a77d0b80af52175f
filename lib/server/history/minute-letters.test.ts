import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { minuteLetters } from './minute-letters.ts';
import type { PartStatus } from './split/part.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 10));
const between = (fromS: number, toS: number) => ({ start: addMs(start, fromS * 1000), end: addMs(start, toS * 1000) });
const letters = (...parts: [fromS: number, toS: number, status: PartStatus][]) =>
  minuteLetters(
    between(0, 300),
    parts.map(([fromS, toS, status]) => ({ window: between(fromS, toS), status })),
  );

test('a minute has the worst state of its parts, in any order', () => {
  expect(letters([0, 90, 'complete'], [90, 180, 'incomplete'], [180, 300, 'failed'])).toBe('cttff');
  expect(letters([180, 300, 'failed'], [90, 180, 'incomplete'], [0, 90, 'complete'])).toBe('cttff');
  expect(letters([0, 300, 'complete'], [60, 61, 'loading'])).toBe('clccc');
});

test('a minute without a part is not complete', () => {
  expect(letters([0, 60, 'complete'])).toBe('cnnnn');
  expect(letters()).toBe('nnnnn');
});
