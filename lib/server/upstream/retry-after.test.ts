import { afterEach, describe, expect, test, vi } from 'vitest';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { retryAfterMs } from './retry-after.ts';

const now = upstreamInstant(Date.UTC(1994, 10, 6, 8, 49, 7));
const imfDate = (ms: number) => new Date(epochMs(now) + ms).toUTCString();

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('retryAfterMs', () => {
  test.each([
    ['no header', undefined, undefined],
    ['seconds', '7', 7000],
    ['seconds with spaces around', ' 7 ', 7000],
    ['a day and more', '86401', DAY_MS],
    ['1e9 seconds', '1000000000', DAY_MS],
    ['more digits than a number holds', '9'.repeat(400), DAY_MS],
    ['a date', imfDate(30_000), 30_000],
    ['a date next year', imfDate(400 * DAY_MS), DAY_MS],
    ['a date that has passed', imfDate(-1000), MINUTE_MS],
    ['0', '0', MINUTE_MS],
    ['00', '00', MINUTE_MS],
    ['-1', '-1', MINUTE_MS],
    ['a word', 'abc', MINUTE_MS],
    ['an exponent', '1e9', MINUTE_MS],
    ['half a second', '0.5', MINUTE_MS],
    ['a year that looks like a date', '2030', 2_030_000],
    ['an ISO date, which is not an HTTP date', '2030-01-01T00:00:00Z', MINUTE_MS],
    ['nothing', '', MINUTE_MS],
  ])('%s', (_, header, waitMs) => {
    expect(retryAfterMs(header, now)).toBe(waitMs);
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
        expect(retryAfterMs(date, now), date).toBe(30_000);
      }
    },
  );
});
