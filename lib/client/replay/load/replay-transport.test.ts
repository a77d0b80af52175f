import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addMs, epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { LoadOrder, loadedFrom } from './replay-transport.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 10, 0, 30));
const window = { start, end: addMs(start, 3_600_000) };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('A window is loaded from the cursor outwards: from the beginning of its minute, or of the window', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_600_000 }), (atMs) => {
      const cursor = addMs(start, atMs);
      const from = loadedFrom(window, cursor);
      expect(epochMs(from)).toBeGreaterThanOrEqual(epochMs(window.start));
      expect(epochMs(from)).toBeLessThanOrEqual(epochMs(cursor));
      expect(epochMs(from)).toBeGreaterThan(epochMs(cursor) - 60_000);
      if (from > window.start) expect(epochMs(from) % 60_000).toBe(0);
    }),
  );
});

test('A drag asks once, for where it ended; a load that has ended is not asked', () => {
  const asked: string[] = [];
  const order = new LoadOrder((load, from) => asked.push(`${load} ${formatInstant(from)}`));
  order.moved(start);
  vi.advanceTimersByTime(1000);
  expect(asked).toEqual([]);
  const load = order.begin(start);
  for (const minute of [1, 2, 3]) {
    order.moved(addMs(start, minute * 60_000));
    vi.advanceTimersByTime(100);
  }
  vi.advanceTimersByTime(1000);
  expect(asked).toEqual([`${load} 2026-11-21T10:03:30.000Z`]);
  order.moved(addMs(start, 3 * 60_000));
  vi.advanceTimersByTime(1000);
  order.moved(addMs(start, 9 * 60_000));
  order.end();
  vi.advanceTimersByTime(1000);
  expect(asked).toHaveLength(1);
});
