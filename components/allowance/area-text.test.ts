import { describe, expect, test } from 'vitest';
import type { RefreshedArea } from '#lib/client/status/allowance-status.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { areaText } from './area-text.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 30));
const area: RefreshedArea = {
  layer: 'adsb',
  bbox: { west: 6, south: 46, east: 10.5, north: 48 },
  viewers: 3,
  cost: 2,
  intervalMs: 5000,
  fetchedAt: addMs(now, -3000),
  nextAt: addMs(now, 1400),
  reason: undefined,
  until: undefined,
};
const words = (change: Partial<RefreshedArea>) => areaText({ ...area, ...change }, now, 'utc');

describe('areaText', () => {
  test('says for whom, at what cost and how often it is read, and how old it is', () => {
    expect(words({})).toEqual({
      effort: '3 viewers · 2 requests a refresh · every 5 s',
      freshness: 'read 3 s ago · next in 2 s',
      trouble: undefined,
    });
    expect(words({ viewers: 1, cost: 1, intervalMs: 120_000 }).effort).toBe(
      '1 viewer · 1 request a refresh · every 2 min',
    );
  });

  test('not read yet, being read, due and waiting are told apart', () => {
    expect(words({ fetchedAt: undefined }).freshness).toMatch(/^not read yet/);
    expect(words({ nextAt: undefined }).freshness).toMatch(/being refreshed now$/);
    expect(words({ nextAt: addMs(now, -1) }).freshness).toMatch(/next is due$/);
    expect(words({ nextAt: addMs(now, 1) }).freshness).toMatch(/next in 1 s$/);
  });

  test('an interval below a second is not every 0 s', () => {
    expect(words({ intervalMs: 200 }).effort).toMatch(/every 1 s$/);
  });

  test('trouble says why and until when, which is then when it is read next', () => {
    const failing = words({ reason: 'service_timeout', until: addMs(now, 9000) });
    expect(failing.trouble).toBe('the service did not answer in time; tried again at 12:04:39Z (in 9 s)');
    expect(failing.freshness).toBe('read 3 s ago');
    const over = words({ reason: 'allowance_used_up', until: addMs(now, -1) });
    expect(over.trouble).toBe('paused by the account’s allowance');
    expect(over.freshness).toBe('read 3 s ago · next in 2 s');
  });

  test('where now is not known, times stand for ages', () => {
    expect(areaText(area, undefined, 'utc').freshness).toBe('read at 12:04:27Z · next at 12:04:31Z');
  });
});
