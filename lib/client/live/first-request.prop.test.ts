import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { liveQuerySchema } from '#lib/api/query.ts';
import { decimal } from '#lib/geo/arbitrary-bbox.fixture.ts';
import { formatBbox, formatLonLat, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { viewBox } from '#lib/geo/view-box.ts';
import { suits } from '../page/use-live-requests.ts';
import { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FirstRequest } from './first-request.ts';
import { firstRequestScript } from './first-request-script.ts';

const HOME = { lon: 8.5, lat: 47.4, zoom: 9, bearingDeg: 0 };
const FRAME = { width: 45 + 372, height: 49 + 29 + 37 };

interface Browser {
  readonly width?: number;
  readonly height?: number;
  readonly stored?: Readonly<Record<string, unknown>>;
  readonly ofWindow?: Readonly<Record<string, unknown>>;
  readonly visibility?: string;
  readonly answer?: () => Promise<Response>;
}

const storage = (values: Readonly<Record<string, unknown>> = {}) => ({
  getItem: (key: string) => (key in values ? JSON.stringify(values[key]) : null),
});

/** Runs the script of a page in a browser without a sheet. */
function opened(
  page: Partial<Parameters<typeof firstRequestScript>[0]>,
  { width = 1280, height = 800, stored, ofWindow, visibility = 'visible', answer }: Browser = {},
) {
  const script = firstRequestScript({ address: '', start: undefined, home: HOME, operator: undefined, ...page });
  const requests: string[] = [];
  const window = {
    localStorage: storage(stored),
    sessionStorage: storage(ofWindow),
    lookoutFirstRequest: undefined,
  };
  if (script !== undefined)
    runInNewContext(script, {
      window,
      document: { visibilityState: visibility },
      matchMedia: () => ({ matches: false }),
      innerWidth: width,
      innerHeight: height,
      crypto,
      performance,
      AbortController,
      URLSearchParams,
      fetch: (address: string) => {
        requests.push(address);
        return answer?.() ?? Promise.resolve(new Response(new Uint8Array([1, 2, 3])));
      },
    });
  const [request] = requests;
  const query = request === undefined ? undefined : new URL(request, 'http://lookout').searchParams;
  return { query, take: () => FirstRequest.open(window, performance.now()) };
}

const queryOf = (query: URLSearchParams | undefined) => ({
  bbox: query?.get('bbox') ?? '',
  centre: query?.get('centre') ?? '',
  home: query?.get('home') ?? undefined,
  layers: query?.get('layers') ?? '',
});

describe('The request that leaves with the page', () => {
  test('suits the map that follows, and is one that the server accepts', () => {
    const sizes = { width: fc.integer({ min: 961, max: 2560 }), height: fc.integer({ min: 600, max: 1440 }) };
    const view = fc.record({ lon: decimal(-180, 180), lat: decimal(-75, 75), zoom: decimal(2, 20), ...sizes });
    fc.assert(
      fc.property(view, fc.integer({ min: -24, max: 24 }), ({ lon, lat, zoom, width, height }, offPx) => {
        const address = `?view=${[lat, lon, zoom].map((number) => number.toFixed(5)).join()}`;
        const { query } = opened({ address }, { width, height });
        const map = { width: width - FRAME.width, height: height - FRAME.height + offPx };
        const visible = viewBox({ lon, lat, zoom }, map);
        // Without a margin only the exact size suits.
        fc.pre(
          query !== undefined && [lonSpanDeg, latSpanDeg].every((span) => span(visible) < 26 || span(visible) > 36),
        );
        const parsed = parseBbox(query?.get('bbox') ?? '');
        expect(liveQuerySchema.safeParse(Object.fromEntries(query ?? [])).error).toBeUndefined();
        expect(parsed.ok && suits(parsed.bbox, visible)).toBe(true);
      }),
    );
  });

  test('is of the view and the layers in the address, else of the start view, else of home', () => {
    const centreOf = (page: Parameters<typeof opened>[0]) => opened(page).query?.get('centre');
    expect(centreOf({ address: '?view=50,10,8', start: 'view=51,11,8' })).toBe('10,50');
    expect(centreOf({ start: 'view=51,11,8' })).toBe('11,51');
    expect(centreOf({})).toBe(formatLonLat(HOME));
    expect(opened({ address: '?layers=adsb' }).query?.get('layers')).toBe('adsb');
  });

  test('has the home area of the operator, and the room that a closed panel leaves', () => {
    const homeArea = { west: 8, south: 47, east: 9, north: 48 };
    const stored = { 'lookout.preferences.tower': { homeArea, panelOpen: false } };
    const { query } = opened({ operator: 'tower' }, { stored });
    expect(query?.get('home')).toBe(formatBbox(homeArea));
    const spanOf = (text = '') => Number(text.split(',')[2]) - Number(text.split(',')[0]);
    const withPanel = opened({ operator: 'guest' }, { stored }).query;
    expect(spanOf(query?.get('bbox') ?? '')).toBeGreaterThan(spanOf(withPanel?.get('bbox') ?? ''));
  });

  test('is not sent for a replay, without a layer, or by a hidden page', () => {
    const replay = '?from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z';
    expect(opened({ address: replay }).query).toBeUndefined();
    expect(opened({ address: '?layers=' }).query).toBeUndefined();
    expect(opened({}, { visibility: 'hidden' }).query).toBeUndefined();
  });

  test('is answered once, and to the same query alone', async () => {
    const { query, take } = opened({});
    const first = take();
    expect(take()).toBeUndefined();
    const never = new AbortController().signal;
    const answer = await first?.take(queryOf(query), never);
    expect(answer).toMatchObject({ status: 200, body: new Uint8Array([1, 2, 3]).buffer });
    expect(await first?.take(queryOf(query), never)).toBeUndefined();

    const other = opened({});
    expect(await other.take()?.take({ ...queryOf(other.query), layers: 'rid' }, never)).toBeUndefined();
  });

  test('fails like a request of the page', async () => {
    const { query, take } = opened({}, { answer: () => Promise.reject(new TypeError('network')) });
    const failed = take()?.take(queryOf(query), new AbortController().signal);
    await expect(failed).rejects.toBeInstanceOf(LookoutRequestError);
  });
});
