import { expect, test } from 'vitest';
import { HINTS } from './hints.ts';

test('a first visit has at most four hints, each short enough for two lines', () => {
  expect(HINTS.length).toBeLessThanOrEqual(4);
  expect(new Set(HINTS.map(({ name }) => name)).size).toBe(HINTS.length);
  for (const { text } of HINTS) expect(text.length).toBeLessThan(160);
});
