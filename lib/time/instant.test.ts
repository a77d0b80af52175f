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
    ['no zone', '2026-11-21T10:15:00'],
    ['a date alone', '2026-11-21'],
    ['a space for the T', '2026-11-21 10:15:00Z'],
    ['no seconds', '2026-11-21T10:15Z'],
    ['29 February of a year without one', '2026-02-29T00:00:00Z'],
    ['29 February 1900', '1900-02-29T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['day 0', '2026-11-00T00:00:00Z'],
    ['hour 24', '2026-11-21T24:00:00Z'],
    ['minute 60', '2026-11-21T10:60:00Z'],
    ['second 61', '2026-11-21T10:15:61Z'],
    ['an offset of 24 hours', '2026-11-21T10:15:00+24:00'],
    ['an offset without its colon', '2026-11-21T10:15:00+0100'],
    ['a + that was decoded to a space', '2026-11-21T10:15:00 01:00'],
    ['a year of five digits', '+012026-11-21T10:15:00Z'],
    ['something before or after', ' 2026-11-21T10:15:00Z\n'],
    ['digits that are not ASCII', '٢٠٢٦-11-21T10:15:00Z'],
    ['an empty fraction', '2026-11-21T10:15:00.Z'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  test('small letters, finer digits and offsets mean what RFC 3339 says', () => {
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

  test('a leap second is the second after it, and 29 February exists in a leap year', () => {
    expect(parseInstant('2016-12-31T23:59:60Z')).toBe(Date.UTC(2017, 0, 1));
    expect(parseInstant('2024-02-29T00:00:00Z')).toBe(Date.UTC(2024, 1, 29));
    expect(parseInstant('2000-02-29T00:00:00Z')).toBe(Date.UTC(2000, 1, 29));
  });
});

test('instantOf says which text it could not read', () => {
  expect(instantOf('2026-11-21T10:15:00Z')).toBe(Date.UTC(2026, 10, 21, 10, 15));
  expect(() => instantOf('yesterday')).toThrow(/yesterday/);
});

describe('two clocks', () => {
  const upstream = upstreamInstant(1000);
  const local = localInstant(2000);

  test('of one clock, instants compare as they are and differ by milliseconds', () => {
    const later: UpstreamInstant = addMs(upstream, 500);
    expect(upstream < later).toBe(true);
    expect(msBetween(upstream, later)).toBe(500);
    expect(msBetween(later, upstream)).toBe(-500);
  });

  test('at run time instants are numbers: what mixes them is refused by the compiler, line by line', () => {
    expect([
      // @ts-expect-error of two clocks, none is before the other
      upstream < local,
      // @ts-expect-error nor the same
      upstream === local,
      // @ts-expect-error and nothing passes between them
      msBetween(upstream, local),
      // @ts-expect-error one is not the other
      upstream satisfies LocalInstant,
      // @ts-expect-error one is not the other
      local satisfies UpstreamInstant,
      // @ts-expect-error what is added changes no clock
      addMs(local, 1) satisfies UpstreamInstant,
      // @ts-expect-error only the upstream's are written down
      formatInstant(local),
      // @ts-expect-error a bare number is of no clock
      1000 satisfies UpstreamInstant,
      // @ts-expect-error and compares with none
      upstream < 2000,
      // @ts-expect-error an instant is no number
      upstream satisfies number,
      // @ts-expect-error two of one clock are not subtracted
      upstream - upstream,
      // @ts-expect-error and nothing is added to one
      upstream + 1,
      // @ts-expect-error nor is one picked among numbers
      Math.max(upstream, upstream),
    ]).toEqual([true, false, 1000, 1000, 2000, 2001, '1970-01-01T00:00:02.000Z', 1000, true, 1000, 0, 1001, 1000]);
  });
});
