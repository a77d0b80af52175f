import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Hours } from './zone.ts';
import { hoursProblem, ZoneHours } from './zone-hours.ts';

const every = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const weekly = (from: string, to: string, days: readonly (typeof every)[number][] = every): Hours => ({
  time_zone: 'Europe/Zurich',
  weekly: [{ days: [...days], from, to }],
});
const isActive = (hours: Hours, time: string) => new ZoneHours(hours).isActive(Date.parse(time));

function activeHours(hours: Hours, day: string): number {
  const zoneHours = new ZoneHours(hours);
  let minutes = 0;
  for (let at = Date.parse(`${day}T00:00Z`); at < Date.parse(`${day}T00:00Z`) + 24 * HOUR_MS; at += MINUTE_MS) {
    if (zoneHours.isActive(at)) minutes++;
  }
  return minutes / 60;
}

describe('weekly hours', () => {
  test('are those of the zone, not of UTC', () => {
    expect(isActive(weekly('08:00', '12:00'), '2026-11-27T07:30Z')).toBe(true);
    expect(isActive(weekly('08:00', '12:00'), '2026-11-27T11:30Z')).toBe(false);
    expect(isActive(weekly('08:00', '12:00'), '2026-07-27T06:30Z')).toBe(true);
  });

  test('across midnight go on into the next day, whose name they need not list', () => {
    const friday = weekly('22:00', '06:00', ['fri']);
    expect(isActive(friday, '2026-11-27T20:59Z')).toBe(false);
    expect(isActive(friday, '2026-11-27T21:00Z')).toBe(true);
    expect(isActive(friday, '2026-11-28T04:59Z')).toBe(true);
    expect(isActive(friday, '2026-11-28T05:00Z')).toBe(false);
    expect(isActive(friday, '2026-11-28T22:00Z')).toBe(false);
  });

  test('that end when they begin last a day, without a break to the next one', () => {
    const hours = new ZoneHours(weekly('00:00', '00:00'));
    expect(hours.overBetween(Date.parse('2026-11-20T12:00Z'), Date.parse('2026-12-20T12:00Z'))).toBeUndefined();
  });

  test('are an hour shorter on the night that clocks skip one, and longer on the night that repeats one', () => {
    const night = weekly('01:00', '05:00', ['fri', 'sun']);
    expect(activeHours(night, '2026-03-29')).toBe(3);
    // The night begins at 23:00 UTC of the day before.
    expect(activeHours(night, '2026-10-25') + activeHours(night, '2026-10-24')).toBe(5);
    expect(activeHours(night, '2026-11-27')).toBe(4);
  });

  test('begin as clocks jump over their beginning, and end as clocks jump over their end', () => {
    // 02:00 becomes 03:00 at 01:00 UTC.
    const from = new ZoneHours(weekly('02:30', '05:00'));
    expect([from.isActive(Date.parse('2026-03-29T00:59Z')), from.isActive(Date.parse('2026-03-29T01:00Z'))]).toEqual([
      false,
      true,
    ]);
    const to = new ZoneHours(weekly('00:30', '02:30'));
    expect([to.isActive(Date.parse('2026-03-29T00:59Z')), to.isActive(Date.parse('2026-03-29T01:00Z'))]).toEqual([
      true,
      false,
    ]);
  });

  test('include both hours of a time that occurs twice', () => {
    // 03:00 becomes 02:00 at 01:00 UTC.
    const to = new ZoneHours(weekly('22:00', '02:30'));
    expect(to.overBetween(Date.parse('2026-10-24T20:00Z'), Date.parse('2026-10-25T12:00Z'))).toBe(
      Date.parse('2026-10-25T01:30Z'),
    );
    const from = new ZoneHours(weekly('02:30', '05:00'));
    expect(from.activeSince(Date.parse('2026-10-25T02:00Z'))).toBe(Date.parse('2026-10-25T00:30Z'));
  });

  test('are over at their end, even if they began again since', () => {
    const hours = new ZoneHours(weekly('08:00', '12:00'));
    expect(hours.overBetween(Date.parse('2026-11-26T10:00Z'), Date.parse('2026-11-27T10:00Z'))).toBe(
      Date.parse('2026-11-26T11:00Z'),
    );
  });
});

describe('one span', () => {
  const span: Hours = { time_zone: 'America/New_York', from: '2026-11-27T09:00', to: '2026-11-29T17:00' };

  test('is active from its beginning to its end', () => {
    const at = [
      '2026-11-27T13:59Z',
      '2026-11-27T14:00Z',
      '2026-11-28T03:00Z',
      '2026-11-29T21:59Z',
      '2026-11-29T22:00Z',
    ];
    expect(at.map((time) => isActive(span, time))).toEqual([false, true, true, true, false]);
  });

  test('is refused if it ends before it begins, or on no day', () => {
    expect(hoursProblem({ ...span, to: '2026-11-27T09:00' })).toBe('The hours end before they begin.');
    expect(hoursProblem({ ...span, to: '2026-02-30T09:00' })).toBe('The hours begin and end on days of the calendar.');
    expect(hoursProblem(span)).toBeUndefined();
  });
});

describe('a time zone', () => {
  test('has an IANA name', () => {
    for (const time_zone of ['Europe/Zurich', 'America/New_York', 'UTC', 'Asia/Kathmandu']) {
      expect(hoursProblem({ ...weekly('08:00', '12:00'), time_zone } as Hours)).toBeUndefined();
    }
    for (const time_zone of ['Europe/Zürich', 'Mars/Olympus', '+02:00', '', 'zone']) {
      expect(hoursProblem({ ...weekly('08:00', '12:00'), time_zone } as Hours)).toContain('is not an IANA time zone');
    }
  });
});

test('a zone without hours is always active', () => {
  expect(hoursProblem(null)).toBeUndefined();
  expect(new ZoneHours(null).overBetween(0, Number.MAX_SAFE_INTEGER)).toBeUndefined();
});
