import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LEAD_IN_MAX_MS, REPLAY_MAX_WINDOW_MS } from '#lib/api/replay-window.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { windowLengthMs } from '#lib/time/window.ts';
import { hoursOf } from './history-area.ts';

const window = fc
  .record({
    startS: fc.integer({ min: 1_790_000_000, max: 1_791_000_000 }),
    lengthS: fc.integer({ min: 1, max: (REPLAY_MAX_WINDOW_MS + LEAD_IN_MAX_MS) / 1000 }),
  })
  .map(({ startS, lengthS }) => {
    const start = upstreamInstant(startS * 1000);
    return { start, end: addMs(start, lengthS * 1000) };
  });

test('covers a window without gap or overlap, in parts of at most an hour and two rests', () => {
  fc.assert(
    fc.property(window, (whole) => {
      const hours = hoursOf(whole);
      expect([hours[0]?.start, hours.at(-1)?.end]).toEqual([whole.start, whole.end]);
      for (const [index, hour] of hours.entries()) {
        expect(windowLengthMs(hour)).toBeGreaterThan(0);
        expect(windowLengthMs(hour)).toBeLessThanOrEqual(HOUR_MS + 2 * LEAD_IN_MAX_MS);
        if (index > 0) expect(hour.start).toBe(hours[index - 1]?.end);
        if (index > 0) expect(epochMs(hour.start) % HOUR_MS).toBe(0);
      }
    }),
  );
});

test('leaves an hour with its lead-in whole, and shares the hours of overlapping days', () => {
  const start = upstreamInstant(Date.UTC(2026, 10, 21, 10, 7));
  const hour = { start, end: addMs(start, HOUR_MS + LEAD_IN_MAX_MS) };
  expect(hoursOf(hour)).toEqual([hour]);
  const day = (minutes: number) =>
    hoursOf({
      start: addMs(start, minutes * MINUTE_MS),
      end: addMs(start, minutes * MINUTE_MS + REPLAY_MAX_WINDOW_MS),
    });
  const shared = day(0).filter((one) => day(90).some((other) => one.start === other.start && one.end === other.end));
  expect(shared.length).toBeGreaterThanOrEqual(20);
});
