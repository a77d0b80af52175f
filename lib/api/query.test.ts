import { describe, expect, test } from 'vitest';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { lonSpanDeg } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { exportQuerySchema, liveQuerySchema } from './query.ts';

const messages = (query: unknown) => liveQuerySchema.safeParse(query).error?.issues.map(({ message }) => message);

describe('the query of /api/live', () => {
  test('accepts a viewport of any size, also across 180°, and the layers in any order', () => {
    expect(liveQuerySchema.parse({ bbox: '-180,-90,180,90', layers: 'adsb,rid' })).toEqual({
      bbox: { west: -180, south: -90, east: 180, north: 90 },
      layers: ['rid', 'adsb'],
    });
    expect(liveQuerySchema.parse({ bbox: '170,-1,-170,1', layers: 'rid' }).bbox).toMatchObject({
      west: 170,
      east: -170,
    });
  });

  test('rounds a box to the decimals sent upstream, where a side of 30° must stay within the limit', () => {
    const { bbox } = liveQuerySchema.parse({ bbox: '49.48942684773232,0,79.48942683513843,1', layers: 'rid' });
    expect(bbox.west).toBe(49.4894268);
    expect(lonSpanDeg(capBbox(bbox, LIVE_MAX_SPAN_DEG).bbox)).toBeLessThanOrEqual(LIVE_MAX_SPAN_DEG);
  });

  test('accepts a centre inside the box, also across 180°', () => {
    expect(liveQuerySchema.parse({ bbox: '8,47,9,48', centre: '8.5,47.4' }).centre).toEqual({ lon: 8.5, lat: 47.4 });
    expect(liveQuerySchema.parse({ bbox: '-180,-90,180,90', centre: '8,60' }).centre).toEqual({ lon: 8, lat: 60 });
    expect(liveQuerySchema.parse({ bbox: '170,-1,-170,1', centre: '-179,0' }).centre).toEqual({ lon: -179, lat: 0 });
    expect(liveQuerySchema.parse({ bbox: '8,47,9,48' }).centre).toBeUndefined();
  });

  test.each([
    ['8.5', 'two plain decimal numbers'],
    ['8.5,47,1', 'two plain decimal numbers'],
    ['8.5,4e1', 'two plain decimal numbers'],
    ['', 'two plain decimal numbers'],
    ['7,47.5', 'must lie in bbox'],
    ['8.5,91', 'must lie in bbox'],
  ])('rejects the centre %j', (centre, why) => {
    expect(messages({ bbox: '8,47,9,48', centre })).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ['no area', '8,47,8,48'],
    ['an area that is empty once rounded', '8,47,8.00000001,48'],
    ['no width at 180°', '180,47,-180,48'],
    ['NaN', 'NaN,47,9,48'],
    ['1e308', '1e308,47,9,48'],
    ['10 kB', '1'.repeat(10_000)],
    ['nothing', ''],
  ])('rejects a bbox of %s', (_, bbox) => {
    expect(messages({ bbox, layers: 'rid' })).toHaveLength(1);
  });

  test.each(['', 'rid,rid', 'RID', 'rid,adsb,rid', 'rid,', 'all'])('rejects the layers %j', (layers) => {
    expect(messages({ bbox: '8,47,9,48', layers })).toEqual(['layers must be rid, adsb or rid,adsb']);
  });

  test('defaults to both layers', () => {
    expect(liveQuerySchema.parse({ bbox: '8,47,9,48' }).layers).toEqual(['rid', 'adsb']);
  });

  test('rejects a missing box and an unknown parameter by name', () => {
    expect(messages({})).toEqual([expect.stringContaining('bbox is required')]);
    expect(messages({ bbox: '8,47,9,48', layers: 'rid', zoom: '3' })).toEqual([expect.stringContaining('zoom')]);
  });
});

describe('the query of /api/export', () => {
  const parse = (query: object) => exportQuerySchema.safeParse(query);

  test('is a live one, or with a window one of the past, with a filter', () => {
    const live = parse({ format: 'csv', bbox: '7,46,9,48', layers: 'adsb', alt: '0..1000', sim: 'hide' }).data;
    expect(live).toMatchObject({
      format: 'csv',
      filter: { altitudeM: { from: 0, to: 1000 }, simulated: 'hide' },
      live: { layers: ['adsb'] },
      past: undefined,
    });
    const window = { start: '2026-11-21T10:00:00Z', end: '2026-11-21T10:30:00Z' };
    const past = parse({ format: 'kml', bbox: '7,46,9,48', max_requests: '5', ...window }).data;
    expect(past).toMatchObject({ format: 'kml', live: undefined, past: { maxRequests: 5 } });
  });

  test.each([
    ['no format', { bbox: '7,46,9,48' }],
    ['an unknown format', { format: 'xlsx', bbox: '7,46,9,48' }],
    ['no box', { format: 'csv' }],
    ['an unknown parameter', { format: 'csv', bbox: '7,46,9,48', since: '1' }],
    ['half a window', { format: 'csv', bbox: '7,46,9,48', start: '2026-11-21T10:00:00Z' }],
    ['a filter that is no range', { format: 'csv', bbox: '7,46,9,48', alt: 'high' }],
    ['a price without a window', { format: 'csv', bbox: '7,46,9,48', max_requests: '5' }],
    [
      'an age of past positions',
      { format: 'csv', bbox: '7,46,9,48', age: '..30', start: '2026-11-21T10:00:00Z', end: '2026-11-21T10:30:00Z' },
    ],
  ])('refuses %s', (_, query) => {
    expect(parse(query).error?.issues.length).toBeGreaterThan(0);
  });
});
