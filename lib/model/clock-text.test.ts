import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { parseInstant, upstreamInstant } from '#lib/time/instant.ts';
import { clockRangeText, clockText, dateText, timeFieldMs, timeFieldText, typedTimeMs } from './clock-text.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(['UTC', 'Europe/Zurich', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Chatham'])(
  'a local time in %s includes its offset and denotes the same instant',
  (zone) => {
    vi.stubEnv('TZ', zone);
    // Before 1970, some zones had offsets with seconds.
    const instant = fc
      .integer({ min: 0, max: Date.UTC(2037, 0, 1) / 1000 })
      .map((seconds) => upstreamInstant(seconds * 1000));
    fc.assert(
      fc.property(instant, (at) => {
        const local = clockText(at, 'local').replace(' ', '');
        expect(parseInstant(`${dateText(at, 'local')}T${local}`)).toBe(at);
      }),
    );
  },
);

test('UTC does not depend on the browser’s timezone', () => {
  vi.stubEnv('TZ', 'Pacific/Auckland');
  const at = upstreamInstant(Date.UTC(2026, 10, 21, 23, 4, 30));
  expect(clockText(at, 'utc')).toBe('23:04:30Z');
  expect(dateText(at, 'utc')).toBe('2026-11-21');
  expect(dateText(at, 'local')).toBe('2026-11-22');
});

test('a range says its zone once, except where the clocks change in it', () => {
  vi.stubEnv('TZ', 'Europe/Zurich');
  const at = (minute: number) => upstreamInstant(Date.UTC(2026, 9, 25, 0, minute));
  expect(clockRangeText({ start: at(0), end: at(10) }, 'utc')).toBe('00:00–00:10Z');
  expect(clockRangeText({ start: at(0), end: at(10) }, 'local')).toBe('02:00–02:10 +02:00');
  expect(clockRangeText({ start: at(30), end: at(90) }, 'local')).toBe('02:30 +02:00–02:30 +01:00');
});

test.each(['utc', 'local'] as const)('a field for date and time keeps its minute in %s', (clock) => {
  const ms = Date.parse('2026-11-27T06:30:00Z');
  expect(timeFieldMs(timeFieldText(ms, clock), clock)).toBe(ms);
  expect(timeFieldMs('', clock)).toBeUndefined();
});

test('a time is typed by 24 hours; without a day it is the last such time', () => {
  vi.stubEnv('TZ', 'Europe/Zurich');
  const now = upstreamInstant(Date.parse('2026-11-27T12:30:00Z'));
  const typed = (text: string, zone: 'utc' | 'local' = 'utc') => {
    const ms = typedTimeMs(text, zone, now);
    return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 19);
  };
  for (const text of ['12:05', ' 1205 ', '12:05Z', '12:05:00z', '2026-11-27 12:05', '2026-11-27T12:05:00'])
    expect(typed(text), text).toBe('2026-11-27T12:05:00');
  expect(typed('13:05')).toBe('2026-11-26T13:05:00');
  expect(typed('13:05', 'local')).toBe('2026-11-27T12:05:00');
  expect(typed('12:05Z', 'local')).toBe('2026-11-27T12:05:00');
  expect(typed('2026-11-28 12:05')).toBe('2026-11-28T12:05:00');
  for (const text of ['', 'noon', '1:05 PM', '24:00', '12:60', '2026-02-30 12:05', '2026-11-27'])
    expect(typed(text), text).toBeUndefined();
});

test.each([
  ['just before midnight, by a clock that is behind', '2026-11-27T22:59:30Z', '00:00', '2026-11-27T23:00:00'],
  ['just after midnight', '2026-11-27T23:01:00Z', '23:50', '2026-11-27T22:50:00'],
  ['after a day of 23 hours', '2026-03-29T22:15:00Z', '23:50', '2026-03-29T21:50:00'],
  ['at the end of a day of 25 hours', '2026-10-25T22:30:00Z', '23:45', '2026-10-24T21:45:00'],
  ['in the first hour of a year', '2026-12-31T23:10:00Z', '23:55', '2026-12-31T22:55:00'],
])('the last such time %s is the one of the calendar', (_, now, text, expected) => {
  vi.stubEnv('TZ', 'Europe/Zurich');
  const ms = typedTimeMs(text, 'local', upstreamInstant(Date.parse(now)));
  expect(new Date(ms ?? Number.NaN).toISOString().slice(0, 19)).toBe(expected);
});
