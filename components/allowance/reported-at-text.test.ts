import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { reportedAtText } from './reported-at-text.ts';

const asOf = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 30));

test('numbers of just now need no age; older ones, and those whose age is not known, say when they were told', () => {
  expect(reportedAtText(asOf, addMs(asOf, 15_000), 'utc')).toBeUndefined();
  expect(reportedAtText(asOf, addMs(asOf, 40_000), 'utc')).toBe('Told at 12:04:30Z, 40 s ago');
  expect(reportedAtText(asOf, undefined, 'utc')).toBe('Told at 12:04:30Z');
});
