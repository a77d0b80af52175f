import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWait, refreshReasonSchema } from '#lib/api/layer-reason.ts';
import type { RefreshedArea } from '#lib/client/status/status-query.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { areaText, boxText } from './area-text.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 30));
const area: RefreshedArea = {
  layer: 'adsb',
  bbox: { west: 6, south: 46, east: 10.5, north: 48 },
  viewers: 3,
  zones: 0,
  cost: 2,
  intervalMs: 5000,
  fetchedAt: addMs(now, -3000),
  reason: 'not_due',
  until: addMs(now, 1400),
};
const text = (change: Partial<RefreshedArea>) => areaText({ ...area, ...change }, now, 'utc');

describe('areaText', () => {
  test('gives viewers, cost, interval and age', () => {
    expect(text({})).toEqual({
      effort: '3 viewers · 2 requests per refresh · every 5 s',
      freshness: 'read 3 s ago · not yet due: in 2 s',
      trouble: undefined,
    });
    expect(text({ viewers: 1, zones: 5 }).effort).toMatch(/^1 viewer, 5 zones · /);
    expect(text({ viewers: 0, zones: 1 }).effort).toMatch(/^1 zone · /);
    expect(text({ viewers: 1, cost: 1, intervalMs: 120_000 }).effort).toBe(
      '1 viewer · 1 request per refresh · every 2 min',
    );
  });

  test('gives no interval where there is none', () => {
    expect(text({ intervalMs: undefined }).effort).toBe('3 viewers · 2 requests per refresh');
  });

  test('says why an area is not refreshed, and when it will be', () => {
    const why = (change: Partial<RefreshedArea>) => text(change).freshness.replace(/^read 3 s ago · /, '');
    const until = addMs(now, 12_000);
    expect(why({ reason: undefined, until: undefined })).toBe('being refreshed now');
    expect(why({ reason: 'not_due', until })).toBe('not yet due: in 12 s');
    expect(why({ reason: 'not_due', until: addMs(now, 1) })).toBe('not yet due: in 1 s');
    expect(why({ reason: 'not_due', until: now })).toBe('due now');
    expect(why({ reason: 'paced', until })).toBe('due, but it waits so that the allowance lasts: in 12 s');
    expect(why({ reason: 'waits_its_turn', until })).toBe('new, and waits for a share of the allowance: in 12 s');
    expect(why({ reason: 'waits_its_turn', until: undefined })).toBe('new, and waits for a share of the allowance');
    expect(why({ reason: 'unchanged', until })).toBe('unchanged since it was read');
    expect(text({ fetchedAt: undefined }).freshness).toBe('not read yet · not yet due: in 2 s');
  });

  test('an interval below a second is not every 0 s', () => {
    expect(text({ intervalMs: 200 }).effort).toMatch(/every 1 s$/);
  });

  test('every failure is trouble, with a text and the time of the next try', () => {
    const failing = text({ reason: 'service_timeout', until: addMs(now, 9000) });
    expect(failing.trouble).toBe('no timely answer from the service; next try at 12:04:39Z (in 9 s)');
    expect(failing.freshness).toBe('read 3 s ago');
    const over = text({ reason: 'allowance_used_up', until: addMs(now, -1) });
    expect(over.trouble).toBe('paused by the account’s allowance');
    const reasons = refreshReasonSchema.options;
    const texts = reasons.map((reason) => Object.values(text({ reason, until: undefined })).join());
    expect(new Set(texts).size).toBe(reasons.length);
    for (const reason of reasons) expect(text({ reason }).trouble === undefined).toBe(isWait(reason));
  });

  test('shows times in place of ages while the current time is unknown', () => {
    expect(areaText(area, undefined, 'utc').freshness).toBe('read at 12:04:27Z · not yet due: at 12:04:31Z');
  });
});

describe('boxText', () => {
  test.each([
    [{ west: 6, south: 46, east: 10.5, north: 48 }, '46.0–48.0 N, 6.0–10.5 E'],
    [{ west: -80, south: -48, east: -70, north: -46 }, '46.0–48.0 S, 70.0–80.0 W'],
    [{ west: -10, south: -2, east: 3, north: 3 }, '2.0 S–3.0 N, 10.0 W–3.0 E'],
    [{ west: 170, south: -40, east: -175, north: -35 }, '35.0–40.0 S, 170.0 E–175.0 W'],
    [{ west: -180, south: 0, east: -170, north: 10 }, '0.0–10.0 N, 170.0–180.0 W'],
    [{ west: -180, south: -85, east: 180, north: 85 }, '85.0 S–85.0 N, all longitudes'],
    [{ west: -74.05, south: 40.68, east: -73.98, north: 40.85 }, '40.68–40.85 N, 73.980–74.050 W'],
  ])('%o', (bbox, expected) => {
    expect(boxText(bbox)).toBe(expected);
  });

  test('both ends of every side read differently down to a hundredth of a degree', () => {
    const hundredths = (from: number, to: number) => fc.integer({ min: from * 100, max: to * 100 });
    fc.assert(
      fc.property(hundredths(-89, 88), hundredths(-179, 178), hundredths(0, 1), (south, west, more) => {
        const bbox = {
          south: south / 100,
          north: (south + 1 + more) / 100,
          west: west / 100,
          east: (west + 1 + more) / 100,
        };
        for (const side of boxText(bbox).split(', ')) {
          const [from, to] = side.replaceAll(/(?<=–\S+) ./g, '').split('–');
          expect(from).not.toBe(to);
        }
      }),
    );
  });
});
