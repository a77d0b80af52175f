import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { FaultSetting } from '#service/faults/fault.ts';
import { type LiveHarness, SHORT_TIMEOUTS, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness();
});
afterEach(() => live.close());

/** After the refusal and the requests already in flight. */
async function requestsWhilePaused(ms: number): Promise<number> {
  await live.read();
  live.moveClock(5000);
  live.service.clearRequests();
  await live.poll(ms - 5000);
  return live.service.requests().length;
}

async function readOnce(): Promise<void> {
  await live.read();
  live.service.clearRequests();
  live.moveClock(5000);
}

describe('403: a layer is not approved', () => {
  test('one request in 15 minutes, and the other layer continues', async () => {
    live.service.setFault({ kind: 'status', status: 403, operation: 'live_rid' });
    await live.poll(14 * MINUTE_MS, 10_000);
    expect(live.countOf('live_rid')).toBe(1);
    const { layers } = await live.read();
    expect([layers.rid?.state, layers.rid?.reason]).toEqual(['denied', 'layer_not_approved']);
    expect(layers.adsb?.state).toBe('fresh');
    await live.poll(2 * MINUTE_MS);
    expect(live.countOf('live_rid')).toBe(2);
  });
});

const CONTRACT_BODY = { error: { code: 'x', message: 'y' }, request_id: 'r' };
const HTML = '<html><head><title>Error</title></head><body>nginx</body></html>';

/** Answers without the contract's error body or envelope. */
const EDGE_ANSWERS: Readonly<Record<string, Omit<Extract<FaultSetting, { kind: 'edge' }>, 'kind'>>> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 405, 407, 410, 418, 429, 451, 500, 502, 503, 504, 511, 525].map((status) => [
      `HTML ${status}`,
      { status, headers: { 'content-type': 'text/html' }, body: HTML },
    ]),
  ),
  'HTML 200, a portal': { status: 200, headers: { 'content-type': 'text/html' }, body: HTML },
  'plain text 200': { status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' },
  'an empty 200': { status: 200 },
  'a 200 with JSON of something else': { status: 200, body: '{"status":"ok"}' },
  'a 200 with an empty list': { status: 200, body: '[]' },
  'a 200 with the error body': { status: 200, body: JSON.stringify(CONTRACT_BODY) },
  'a 204': { status: 204 },
  'a 206': { status: 206, body: HTML },
  'a 302 to a login': { status: 302, headers: { location: 'https://login.example/' } },
  'a 304': { status: 304 },
  'an AWS 403': { status: 403, body: '{"message":"Forbidden"}' },
  'a 401 of a gateway': { status: 401, body: '{"error":"invalid_token","error_description":"expired"}' },
  'a 404 of a framework': { status: 404, body: '{"timestamp":1,"status":404,"error":"Not Found","path":"/"}' },
  'a problem+json 403': {
    status: 403,
    headers: { 'content-type': 'application/problem+json' },
    body: '{"type":"about:blank","title":"Forbidden","status":403}',
  },
  'a 401 without a request id': { status: 401, body: '{"error":{"code":"x","message":"y"}}' },
  'a 401 whose code is a number': { status: 401, body: '{"error":{"code":401,"message":"y"},"request_id":"r"}' },
  'a 401 in gzip': { status: 401, headers: { 'content-type': 'text/html' }, body: HTML, is_gzip: true },
  'an empty 401': { status: 401 },
  'a cut error body': { status: 403, body: JSON.stringify(CONTRACT_BODY).slice(0, -5) },
  'an error body of 1 MB': { status: 404, body: HTML + ' '.repeat(900_000) },
};

describe('an answer that is not the service’s own', () => {
  test.each(Object.entries(EDGE_ANSWERS))(
    '%s: the service is unreachable, and the layer is up to date within a minute of its end',
    async (_name, edge) => {
      await readOnce();
      live.service.setFault({ kind: 'edge', ...edge });
      await live.poll(15_000);
      const { layers } = await live.read();
      for (const layer of [layers.rid, layers.adsb])
        expect([layer?.state, layer?.reason, layer?.records.length]).toEqual(['stale', 'service_unreachable', 3]);
      live.service.clearFault();
      await live.poll(MINUTE_MS + 5000, 13_000);
      const after = await live.read();
      expect([after.layers.rid?.state, after.layers.adsb?.state]).toEqual(['fresh', 'fresh']);
    },
  );

  test('costs a request a minute and layer at most, however long it lasts', async () => {
    await readOnce();
    live.service.setFault({ kind: 'edge', status: 401, body: HTML });
    await live.poll(10 * MINUTE_MS);
    live.service.clearRequests();
    await live.poll(10 * MINUTE_MS);
    expect(live.countOf('live_adsb')).toBeLessThanOrEqual(10);
    expect(live.countOf('live_adsb')).toBeGreaterThanOrEqual(8);
  });

  test('reports nothing about the allowance', async () => {
    await readOnce();
    const before = await live.status.read();
    live.service.setFault({ kind: 'edge', status: 403, headers: { 'x-dailylimit-remaining': '0' }, times: 1 });
    await live.poll(20_000);
    const after = await live.status.read();
    expect(after.day.remaining).toBeGreaterThan(0.9 * (before.day.remaining ?? 0));
  });

  test.each([429, 503])('the Retry-After of an HTML %i is respected to the second', async (status) => {
    await readOnce();
    live.service.setFault({ kind: 'status', status, as: 'html', retry_after: '90' });
    expect(await requestsWhilePaused(90_000)).toBe(0);
    expect((await live.read()).layers.adsb?.reason).toBe('service_unreachable');
  });
});

describe('429: all requests stop', () => {
  test('for as long as Retry-After says, to the second', async () => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 429, retry_after: '120', times: 1 });
    expect(await requestsWhilePaused(115_000)).toBe(0);
    const { layers } = await live.read();
    expect([layers.adsb?.state, layers.adsb?.reason]).toEqual(['limited', 'allowance_used_up']);
    expect(layers.adsb?.records).toHaveLength(3);
    live.moveClock(5000);
    await live.read();
    expect((await live.read()).layers.adsb?.state).toBe('fresh');
  });

  test('after it, an area that waited for the first answer is requested once, and again an interval later', async () => {
    const readViews = (): Promise<unknown> =>
      Promise.all(
        [0, 60, 120].map((west, page) =>
          live.reader.read(
            { operator: 'local', session: undefined, page: `${page}` },
            { west, south: 47, east: west + 1, north: 48 },
            ['adsb'],
          ),
        ),
      );
    const refresh = async () => {
      await live.scheduler.tick();
      await live.scheduler.idle();
    };
    await readViews();
    await refresh();
    live.moveClock(5000);
    live.service.setFault({ kind: 'status', status: 429, retry_after: '20', times: 1 });
    await refresh();
    live.moveClock(25_000);
    await readViews();
    live.service.clearRequests();
    live.service.setFault({ kind: 'hold' });
    const refreshed = refresh();
    await expect.poll(() => live.countOf('live_adsb'), { interval: 5 }).toBe(1);
    live.moveClock(5000);
    live.service.clearFault();
    await refreshed;
    expect(live.countOf('live_adsb'), 'the first one is due again, and those are not that waited for it').toBe(4);
    live.moveClock(5000);
    await refresh();
    expect(live.countOf('live_adsb')).toBe(4 + 3);
  });

  test('without Retry-After until the next minute', async () => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 429, retry_after: null, times: 1 });
    expect(await requestsWhilePaused(45_000)).toBe(0);
    expect((await live.read()).layers.adsb?.until).toBe('2026-11-21T12:01:01.000Z');
    await live.poll(10_000);
    expect(live.service.requests().length).toBeGreaterThan(0);
  });

  test('without Retry-After from the network edge, for at least a minute', async () => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 429, retry_after: null, as: 'html' });
    expect(await requestsWhilePaused(MINUTE_MS)).toBe(0);
  });

  test.each(['0', '-1', 'abc'])('an unclear Retry-After (%s) counts as a minute', async (retryAfter) => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 429, retry_after: retryAfter });
    expect(await requestsWhilePaused(MINUTE_MS)).toBe(0);
  });

  test('a small minute allowance is never exceeded', async () => {
    await live.close();
    live = await startLiveHarness({ allowance: { perMinute: 7, perDay: 100_000 } });
    await live.poll(10 * MINUTE_MS);
    expect(live.logged.filter((line) => line.includes('"status":429'))).toEqual([]);
    expect(live.service.requests().length).toBeGreaterThan(40);
  });
});

describe('no usable answer', () => {
  const faults = [
    ['503', { kind: 'status', status: 503, retry_after: null }, 'service_busy'],
    ['500', { kind: 'status', status: 500 }, 'service_busy'],
    ['cut JSON', { kind: 'cut_json' }, 'answer_unreadable'],
    ['the other layer’s answer', { kind: 'wrong_layer' }, 'answer_unreadable'],
    ['only unreadable records', { kind: 'bad_record', count: null }, 'answer_unreadable'],
    ['one record more than requested', { kind: 'rows', count: 1001 }, 'answer_too_large'],
    ['a million empty records', { kind: 'rows', count: 1_000_000 }, 'answer_too_large'],
    ['a reset in the body', { kind: 'reset' }, 'answer_unreadable'],
    ['silence', { kind: 'silent' }, 'service_timeout'],
    ['a dripping body', { kind: 'drip', interval_ms: 100 }, 'service_timeout'],
    ['40 MB of JSON', { kind: 'huge', bytes: 40_000_000 }, 'answer_too_large'],
  ] as const;

  test.each(faults)(
    '%s: the positions stay with their true age, marked stale with the reason',
    async (_name, fault, reason) => {
      if (reason === 'service_timeout') {
        await live.close();
        live = await startLiveHarness({}, SHORT_TIMEOUTS);
      }
      await readOnce();
      const before = await live.read();
      live.moveClock(5000);
      live.service.setFault(fault);
      await live.read();
      const { layers, as_of } = await live.read();
      expect([layers.adsb?.state, layers.adsb?.reason]).toEqual(['stale', reason]);
      expect(layers.adsb?.records).toEqual(before.layers.adsb?.records);
      expect(layers.adsb?.fetched_at).toBe(before.layers.adsb?.fetched_at);
      expect(Date.parse(as_of) - Date.parse(layers.adsb?.fetched_at ?? '')).toBeGreaterThanOrEqual(5000);
    },
  );

  test.each([
    ['503', { kind: 'status', status: 503 }],
    ['only unreadable records', { kind: 'bad_record', count: null }],
  ] as const)('%s: without earlier records the layer is failed, not empty', async (_, fault) => {
    live.service.setFault(fault);
    await live.read();
    const { layers } = await live.read();
    expect([layers.adsb?.state, layers.adsb?.fetched_at, layers.adsb?.records]).toEqual(['failed', null, []]);
  });

  test('is retried at growing intervals, up to once a minute per layer', async () => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 503 });
    await live.poll(10 * MINUTE_MS);
    live.service.clearRequests();
    await live.poll(10 * MINUTE_MS);
    expect(live.countOf('live_adsb')).toBeLessThanOrEqual(10);
    expect(live.countOf('live_adsb')).toBeGreaterThanOrEqual(8);
  });

  test('an hour of outage is never shown as fresh, and ends within a minute without a burst', async () => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 503 });
    for (let minute = 0; minute < 60; minute++) {
      await live.poll(MINUTE_MS, 15_000);
      expect((await live.read()).layers.adsb?.state).toBe('stale');
    }
    live.service.clearFault();
    live.service.clearRequests();
    await live.poll(MINUTE_MS);
    expect((await live.read()).layers.adsb?.state).toBe('fresh');
    expect(live.service.requests().length).toBeLessThanOrEqual(2 * 12);
  });

  test('503 with Retry-After is respected to the second', async () => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 503, retry_after: '90' });
    expect(await requestsWhilePaused(90_000)).toBe(0);
  });

  test('one layer’s failure does not affect the other', async () => {
    live.service.setFault({ kind: 'status', status: 503, operation: 'live_rid' });
    await live.poll(MINUTE_MS);
    const { layers } = await live.read();
    expect([layers.rid?.state, layers.adsb?.state]).toEqual(['failed', 'fresh']);
  });

  test('a redirect is not followed: neither request nor key reach the other host', async () => {
    let reached = 0;
    const elsewhere = createServer((_request, response) => {
      reached++;
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => elsewhere.once('listening', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    live.service.setFault({ kind: 'redirect', location: `http://127.0.0.1:${port}/v1/live/adsb` });
    await live.poll(MINUTE_MS);
    expect((await live.read()).layers.adsb?.reason).toBe('service_unreachable');
    expect(reached).toBe(0);
    elsewhere.close();
  });

  test('a slow service is waited for, but its viewers are not', async () => {
    await readOnce();
    live.service.setFault({ kind: 'slow', delay_ms: 300 });
    expect((await live.read()).layers.adsb?.state).toBe('fresh');
  });
});

describe('slightly broken answers', () => {
  test('an invalid record is dropped alone, and counted', async () => {
    live.service.setFault({ kind: 'bad_record' });
    const { layers } = await live.read();
    expect([layers.adsb?.state, layers.adsb?.unreadable, layers.adsb?.records.length]).toEqual(['fresh', 1, 2]);
  });

  test('an endless cursor is stopped after 50 pages and shown as partial', async () => {
    live.service.setFault({ kind: 'endless_cursor', operation: 'live_adsb' });
    await live.read();
    const { layers } = await live.read();
    expect([layers.adsb?.partial, layers.adsb?.reason]).toEqual([true, 'pages_endless']);
    expect(live.countOf('live_adsb')).toBe(50);
  });

  test('a repeated cursor is not followed twice', async () => {
    live.service.setFault({ kind: 'repeat_cursor', operation: 'live_adsb' });
    const { layers } = await live.read();
    expect(layers.adsb?.partial).toBe(true);
    expect(live.countOf('live_adsb')).toBeLessThanOrEqual(2);
  });

  test('missing allowance headers do not stop refreshes', async () => {
    live.service.setFault({ kind: 'no_headers' });
    await live.poll(MINUTE_MS);
    expect((await live.read()).layers.adsb?.state).toBe('fresh');
  });
});

describe('several pages', () => {
  beforeEach(async () => {
    await live.close();
    live = await startLiveHarness({ source: steadyTraffic(1500) });
  });

  test('every page is followed', async () => {
    const { layers } = await live.read();
    expect(layers.adsb?.records).toHaveLength(1500);
    expect(live.countOf('live_adsb')).toBe(2);
  });

  test('a rejected cursor restarts the refresh once; the records read are kept and marked partial', async () => {
    live.service.setFault({ kind: 'cursor_refused', operation: 'live_adsb' });
    const { layers } = await live.read();
    expect([layers.adsb?.partial, layers.adsb?.records.length]).toEqual([true, 1000]);
    expect(live.countOf('live_adsb')).toBe(4);
  });

  test('a failure on the second page keeps the first page and the earlier records, marked partial', async () => {
    await live.read();
    live.moveClock(5000);
    live.service.setFault({ kind: 'fail_after_page', operation: 'live_adsb' });
    await live.read();
    const { layers } = await live.read();
    expect([layers.adsb?.state, layers.adsb?.partial, layers.adsb?.records.length]).toEqual(['stale', true, 1500]);
  });
});
