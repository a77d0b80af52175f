import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { parseInstant, upstreamInstant } from '#lib/time/instant.ts';
import { clockText, dateText } from './clock-text.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(['UTC', 'Europe/Zurich', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Chatham'])(
  'a local time in %s carries its offset, and with it names the same moment',
  (zone) => {
    vi.stubEnv('TZ', zone);
    // Zones before 1970 had offsets of seconds.
    const moment = fc
      .integer({ min: 0, max: Date.UTC(2037, 0, 1) / 1000 })
      .map((seconds) => upstreamInstant(seconds * 1000));
    fc.assert(
      fc.property(moment, (at) => {
        const local = clockText(at, 'local').replace(' ', '');
        expect(parseInstant(`${dateText(at, 'local')}T${local}`)).toBe(at);
      }),
    );
  },
);

test('UTC is UTC wherever the browser is', () => {
  vi.stubEnv('TZ', 'Pacific/Auckland');
  const at = upstreamInstant(Date.UTC(2026, 10, 21, 23, 4, 30));
  expect(clockText(at, 'utc')).toBe('23:04:30Z');
  expect(dateText(at, 'utc')).toBe('2026-11-21');
  expect(dateText(at, 'local')).toBe('2026-11-22');
});
