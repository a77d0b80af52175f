import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { overviewHour } from '#lib/client/overview/overview.fixture.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { hoursByDay } from './hours-section.tsx';

afterEach(() => {
  vi.unstubAllEnvs();
});

const hoursFrom = (firstMs: number, count: number) =>
  Array.from({ length: count }, (_, hour) => overviewHour(firstMs + hour * HOUR_MS));
const window = fc
  .tuple(fc.integer({ min: 480_000, max: 500_000 }), fc.integer({ min: 1, max: 31 * 24 }))
  .map(([first, count]) => hoursFrom(first * HOUR_MS, count));

test.each(['UTC', 'Europe/Zurich', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'])(
  'in %s each hour is in the grid once, in order of time',
  (timeZone) => {
    vi.stubEnv('TZ', timeZone);
    fc.assert(
      fc.property(window, fc.constantFrom('utc' as const, 'local' as const), (hours, zone) => {
        const shown = hoursByDay(hours, zone)
          .toReversed()
          .flatMap((day) => day.hours.flat());
        expect(shown.map(({ start }) => start)).toEqual(hours.map(({ start }) => start));
      }),
    );
  },
);

test('in UTC no hour is repeated', () => {
  fc.assert(
    fc.property(window, (hours) => {
      for (const { hours: row } of hoursByDay(hours, 'utc'))
        for (const each of row) expect(each.length).toBeLessThanOrEqual(1);
    }),
  );
});

test('the hour that winter time repeats has both, the one that summer time skips has none', () => {
  vi.stubEnv('TZ', 'Europe/Zurich');
  const day = (utc: string) => hoursByDay(hoursFrom(Date.parse(utc) - 2 * HOUR_MS, 26), 'local');
  const winter = day('2026-10-25T00:00Z').find((each) => each.day === '2026-10-25');
  expect(winter?.hours.map((each) => each.length).slice(0, 5)).toEqual([1, 1, 2, 1, 1]);
  expect(winter?.hours[2]?.map(({ start }) => start)).toEqual(['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z']);
  const summer = day('2026-03-29T00:00Z').find((each) => each.day === '2026-03-29');
  expect(summer?.hours.map((each) => each.length).slice(0, 5)).toEqual([1, 1, 0, 1, 1]);
});
