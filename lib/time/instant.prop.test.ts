import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, formatInstant, parseInstant, upstreamInstant } from './instant.ts';

const instant = fc
  .integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) })
  .map(upstreamInstant);

describe('instants', () => {
  test('a formatted instant parses back to the millisecond', () => {
    fc.assert(
      fc.property(instant, (at) => {
        expect(parseInstant(formatInstant(at))).toBe(at);
      }),
    );
  });

  test('the same instant written in any timezone parses to the same value', () => {
    const near = fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2999, 0, 1) }).map(upstreamInstant);
    const offset = fc.record({
      sign: fc.constantFrom(1, -1),
      hours: fc.integer({ min: 0, max: 23 }),
      minutes: fc.integer({ min: 0, max: 59 }),
    });
    const two = (value: number) => String(value).padStart(2, '0');
    fc.assert(
      fc.property(near, offset, (at, { sign, hours, minutes }) => {
        const local = formatInstant(addMs(at, sign * (hours * 60 + minutes) * 60_000)).slice(0, -1);
        expect(parseInstant(`${local}${sign === 1 ? '+' : '-'}${two(hours)}:${two(minutes)}`)).toBe(at);
      }),
    );
  });

  test('a date parses exactly if the day exists', () => {
    const part = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(fc.integer({ min: 1900, max: 2400 }), part(13), part(32), (year, month, day) => {
        const two = (value: number) => String(value).padStart(2, '0');
        const date = new Date(Date.UTC(year, month - 1, day));
        const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        expect(parseInstant(`${year}-${two(month)}-${two(day)}T00:00:00Z`)).toBe(exists ? date.getTime() : undefined);
      }),
      { numRuns: 1000 },
    );
  });
});
