import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OverviewHour } from '#lib/api/overview.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { hoursByDay } from './hours-by-day.ts';

const counts = { positions: 0, references: 0, references_error: null };
const hourAt = (ms: number): OverviewHour => ({
  start: new Date(ms).toISOString(),
  ...{ watched_s: 0, partly_s: 0, ...counts, simulated: counts, test: counts, inconsistent: counts },
  ...{ late: 0, watched_cut: false },
});
const window = fc
  .tuple(fc.integer({ min: 480_000, max: 500_000 }), fc.integer({ min: 1, max: 31 * 24 }))
  .map(([first, count]) => Array.from({ length: count }, (_, hour) => hourAt((first + hour) * HOUR_MS)));

test('Each hour is in the grid once, in UTC and in local time', () => {
  fc.assert(
    fc.property(window, fc.constantFrom('utc' as const, 'local' as const), (hours, zone) => {
      const shown = hoursByDay(hours, zone)
        .toReversed()
        .flatMap((day) => day.hours.flat());
      expect(new Set(shown.map(({ start }) => start))).toEqual(new Set(hours.map(({ start }) => start)));
      expect(shown.length).toBe(hours.length);
    }),
  );
});

test('In UTC no hour is repeated', () => {
  fc.assert(
    fc.property(window, (hours) => {
      for (const { hours: row } of hoursByDay(hours, 'utc'))
        for (const each of row) expect(each.length).toBeLessThanOrEqual(1);
    }),
  );
});
