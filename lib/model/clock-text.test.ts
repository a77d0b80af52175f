import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { parseInstant, upstreamInstant } from '#lib/time/instant.ts';
import { clockText, dateText } from './clock-text.ts';

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
