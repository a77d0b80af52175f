import { expect, test } from 'vitest';
import { nextMinute, nextUtcMidnight } from './calendar-edge.ts';
import { addMs, upstreamInstant } from './instant.ts';

const midnight = upstreamInstant(Date.UTC(2026, 10, 21));

test('the next reset is strictly after now: exactly at a reset, it is a whole minute or day away', () => {
  expect(nextMinute(addMs(midnight, -1))).toBe(midnight);
  expect(nextMinute(midnight)).toBe(addMs(midnight, 60_000));
  expect(nextUtcMidnight(addMs(midnight, -1))).toBe(midnight);
  expect(nextUtcMidnight(midnight)).toBe(addMs(midnight, 86_400_000));
});
