import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from './instant.ts';
import { type Window, windowContains, windowLengthMs } from './window.ts';

test('windows are half-open: of two adjacent ones, exactly one contains the edge', () => {
  const edge = upstreamInstant(Date.UTC(2026, 10, 21));
  const before: Window = { start: addMs(edge, -60_000), end: edge };
  const after: Window = { start: edge, end: addMs(edge, 60_000) };
  expect([before, after].map((window) => windowContains(window, edge))).toEqual([false, true]);
  expect([before, after].map((window) => windowContains(window, addMs(edge, -1)))).toEqual([true, false]);
  expect(windowLengthMs(after)).toBe(60_000);
});
