import { afterEach, describe, expect, test, vi } from 'vitest';
import { retryAfterMs } from './retry-after.ts';
import { DAY_MS } from './time-units.ts';

const NOW_MS = Date.UTC(1994, 10, 6, 8, 49, 7);
const imfDate = (ms: number) => new Date(NOW_MS + ms).toUTCString();
const read = (retryAfter: string | undefined, date?: string) => retryAfterMs({ retryAfter, date }, NOW_MS);

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('retryAfterMs', () => {
  test.each([
    ['no header', undefined, undefined],
    ['seconds', '7', 7000],
    ['seconds with spaces around', ' 7 ', 7000],
    ['a fraction, rounded up', '0.5', 1000],
    ['a day and more', '86401', DAY_MS],
    ['1e9 seconds', '1000000000', DAY_MS],
    ['more digits than a number holds', '9'.repeat(400), DAY_MS],
    ['a date', imfDate(30_000), 30_000],
    ['a date next year', imfDate(400 * DAY_MS), DAY_MS],
    ['a date that has passed', imfDate(-1000), 0],
    ['a date in UTC by another name', imfDate(30_000).replace('GMT', 'UTC'), 30_000],
    ['a date with an offset', imfDate(30_000).replace('GMT', '+0000'), 30_000],
    ['0', '0', 0],
    ['00', '00', 0],
    ['-1', '-1', undefined],
    ['a word', 'abc', undefined],
    ['a day without a date', 'Sunday, soon', undefined],
    ['an exponent', '1e9', undefined],
    ['a year that looks like a date', '2030', 2_030_000],
    ['an ISO date, which is not an HTTP date', '2030-01-01T00:00:00Z', undefined],
    ['nothing', '', undefined],
  ])('%s', (_, header, waitMs) => {
    expect(read(header)).toBe(waitMs);
  });

  test('a date is compared with the clock of the server that sent it', () => {
    const anHourAhead = 3_600_000;
    expect(read(imfDate(anHourAhead + 12_000), imfDate(anHourAhead))).toBe(12_000);
    expect(read(imfDate(12_000), 'no date')).toBe(12_000);
    expect(read('12', imfDate(anHourAhead))).toBe(12_000);
  });

  test.each(['UTC', 'Asia/Tokyo', 'America/Los_Angeles'])(
    'the three forms of an HTTP date (RFC 9110, 5.6.7) name the same instant on a server in %s',
    (zone) => {
      vi.stubEnv('TZ', zone);
      for (const date of [
        'Sun, 06 Nov 1994 08:49:37 GMT',
        'Sunday, 06-Nov-94 08:49:37 GMT',
        'Sun Nov  6 08:49:37 1994',
      ]) {
        expect(read(date), date).toBe(30_000);
      }
    },
  );
});
