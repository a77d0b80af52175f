import { describe, expect, test } from 'vitest';
import {
  addMs,
  formatInstant,
  instantOf,
  type LocalInstant,
  localInstant,
  msBetween,
  parseInstant,
  type UpstreamInstant,
  upstreamInstant,
} from './instant.ts';

describe('parseInstant', () => {
  test.each([
    ['no timezone', '2026-11-21T10:15:00'],
    ['a date alone', '2026-11-21'],
    ['a space for the T', '2026-11-21 10:15:00Z'],
    ['no seconds', '2026-11-21T10:15Z'],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    ['29 February 1900', '1900-02-29T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['day 0', '2026-11-00T00:00:00Z'],
    ['hour 24', '2026-11-21T24:00:00Z'],
    ['minute 60', '2026-11-21T10:60:00Z'],
    ['second 61', '2026-11-21T10:15:61Z'],
    ['an offset of 24 hours', '2026-11-21T10:15:00+24:00'],
    ['an offset without a colon', '2026-11-21T10:15:00+0100'],
    ['a + that was decoded to a space', '2026-11-21T10:15:00 01:00'],
    ['a year of five digits', '+012026-11-21T10:15:00Z'],
    ['something before or after', ' 2026-11-21T10:15:00Z\n'],
    ['digits that are not ASCII', '٢٠٢٦-11-21T10:15:00Z'],
    ['an empty fraction', '2026-11-21T10:15:00.Z'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  test('lower-case letters, long fractions and offsets are read as RFC 3339 specifies', () => {
    const at = Date.UTC(2026, 10, 21, 10, 15, 0, 250);
    for (const text of [
      '2026-11-21t10:15:00.25z',
      '2026-11-21T10:15:00.2509999999Z',
      '2026-11-21T11:15:00.25+01:00',
      '2026-11-21T04:45:00.25-05:30',
      '2026-11-21T10:15:00.25-00:00',
    ]) {
      expect(parseInstant(text)).toBe(at);
    }
  });

  test('a leap second is read as the following second, and 29 February exists in a leap year', () => {
    expect(parseInstant('2016-12-31T23:59:60Z')).toBe(Date.UTC(2017, 0, 1));
    expect(parseInstant('2024-02-29T00:00:00Z')).toBe(Date.UTC(2024, 1, 29));
    expect(parseInstant('2000-02-29T00:00:00Z')).toBe(Date.UTC(2000, 1, 29));
  });
});

test('instantOf names the text that it could not parse', () => {
  expect(instantOf('2026-11-21T10:15:00Z')).toBe(Date.UTC(2026, 10, 21, 10, 15));
  expect(() => instantOf('yesterday')).toThrow(/yesterday/);
});

describe('two clocks', () => {
  const upstream = upstreamInstant(1000);
  const local = localInstant(2000);

  test('instants of one clock compare with <, and their difference is in milliseconds', () => {
    const later: UpstreamInstant = addMs(upstream, 500);
    expect(upstream < later).toBe(true);
    expect(msBetween(upstream, later)).toBe(500);
    expect(msBetween(later, upstream)).toBe(-500);
  });

  test('at run time instants are numbers; the compiler rejects each of these mixed uses', () => {
    expect([
      // @ts-expect-error instants of two clocks cannot be ordered
      upstream < local,
      // @ts-expect-error nor compared for equality
      upstream === local,
      // @ts-expect-error nor subtracted
      msBetween(upstream, local),
      // @ts-expect-error the types are not assignable
      upstream satisfies LocalInstant,
      // @ts-expect-error in either direction
      local satisfies UpstreamInstant,
      // @ts-expect-error adding milliseconds keeps the clock
      addMs(local, 1) satisfies UpstreamInstant,
      // @ts-expect-error formatInstant takes the upstream's
      formatInstant(local),
      // @ts-expect-error a number is not an instant
      1000 satisfies UpstreamInstant,
      // @ts-expect-error and cannot be compared with one
      upstream < 2000,
      // @ts-expect-error an instant is not a number
      upstream satisfies number,
      // @ts-expect-error arithmetic goes through msBetween
      upstream - upstream,
      // @ts-expect-error and addMs
      upstream + 1,
      // @ts-expect-error and instants are no arguments of Math
      Math.max(upstream, upstream),
    ]).toEqual([true, false, 1000, 1000, 2000, 2001, '1970-01-01T00:00:02.000Z', 1000, true, 1000, 0, 1001, 1000]);
  });
});
