import { expect, test } from 'vitest';
import { nextMinute, nextUtcMidnight } from './calendar-edge.ts';
import { addMs, instantFromMs } from './instant.ts';
import { type Window, windowContains, windowLengthMs } from './window.ts';

const edge = instantFromMs(Date.UTC(2026, 10, 21));

test('windows are half-open: of two that meet, exactly one holds the edge', () => {
  const before: Window = { start: addMs(edge, -60_000), end: edge };
  const after: Window = { start: edge, end: addMs(edge, 60_000) };
  expect([before, after].map((window) => windowContains(window, edge))).toEqual([false, true]);
  expect([before, after].map((window) => windowContains(window, addMs(edge, -1)))).toEqual([true, false]);
  expect(windowLengthMs(after)).toBe(60_000);
});

test('counters reset strictly later than now: at the edge itself the next reset is a whole minute or day away', () => {
  expect(nextMinute(addMs(edge, -1))).toBe(edge);
  expect(nextMinute(edge)).toBe(addMs(edge, 60_000));
  expect(nextUtcMidnight(addMs(edge, -1))).toBe(edge);
  expect(nextUtcMidnight(edge)).toBe(addMs(edge, 86_400_000));
});
