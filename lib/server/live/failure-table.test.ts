import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type LiveHarness, PATIENT_TIMEOUTS, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness();
});
afterEach(() => live.close());

/** How many requests arrive in that time, after the refusal and the requests already in flight. */
async function requestsWhilePaused(ms: number): Promise<number> {
  await live.read();
  live.moveClock(5000);
  live.service.clearRequests();
  await live.watch(ms - 5000);
  return live.service.requests().length;
}

/** Reads once successfully first, so that there are records to keep. */
async function readOnce(): Promise<void> {
  await live.read();
  live.service.clearRequests();
  live.moveClock(5000);
}

describe('403: a layer is not approved', () => {
  test.each(['json', 'html'] as const)(
    'as %s: one request in 15 minutes, and the other layer continues',
    async (as) => {
      live.service.setFault({ kind: 'status', status: 403, operation: 'live_rid', as });
      await live.watch(14 * MINUTE_MS);
      expect(live.countOf('live_rid')).toBe(1);
      const { layers } = await live.read();
      expect([layers.rid?.state, layers.rid?.reason]).toEqual(['denied', 'layer_not_approved']);
      expect(layers.adsb?.state).toBe('fresh');
      await live.watch(2 * MINUTE_MS);
      expect(live.countOf('live_rid')).toBe(2);
    },
  );
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

  test('after it, what waited for the first answer is asked once, and again an interval after that', async () => {
    await live.close();
    live = await startLiveHarness({}, PATIENT_TIMEOUTS);
    const look = (): Promise<unknown> =>
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
    await look();
    await refresh();
    live.moveClock(5000);
    live.service.setFault({ kind: 'status', status: 429, retry_after: '20', times: 1 });
    await refresh();
    live.moveClock(25_000);
    await look();
    live.service.clearRequests();
    live.service.setFault({ kind: 'slow', delay_ms: 300 });
    const refreshed = refresh();
    await expect.poll(() => live.countOf('live_adsb'), { interval: 5 }).toBe(1);
    live.moveClock(5000);
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
    await live.watch(10_000);
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
    await live.watch(10 * MINUTE_MS);
    expect(live.logged.filter((line) => line.includes('"status":429'))).toEqual([]);
    expect(live.service.requests().length).toBeGreaterThan(40);
  });
});

describe('no usable answer', () => {
  const faults = [
    ['503', { kind: 'status', status: 503, retry_after: null }, 'service_busy'],
    ['500 as HTML', { kind: 'status', status: 500, as: 'html' }, 'service_busy'],
    ['200 with HTML', { kind: 'html' }, 'answer_unreadable'],
    ['cut JSON', { kind: 'cut_json' }, 'answer_unreadable'],
    ['the other layer’s answer', { kind: 'wrong_layer' }, 'answer_unreadable'],
    ['a reset in the body', { kind: 'reset' }, 'answer_unreadable'],
    ['silence', { kind: 'silent' }, 'service_timeout'],
    ['a dripping body', { kind: 'drip', interval_ms: 100 }, 'service_timeout'],
    ['40 MB of JSON', { kind: 'huge', bytes: 40_000_000 }, 'answer_too_large'],
  ] as const;

  test.each(faults)(
    '%s: the positions stay with their true age, marked stale with the reason',
    async (_name, fault, reason) => {
      if (reason !== 'service_timeout') {
        await live.close();
        live = await startLiveHarness({}, PATIENT_TIMEOUTS);
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

  test('without earlier records the layer is failed, not empty', async () => {
    live.service.setFault({ kind: 'status', status: 503 });
    await live.read();
    const { layers } = await live.read();
    expect([layers.adsb?.state, layers.adsb?.fetched_at, layers.adsb?.records]).toEqual(['failed', null, []]);
  });

  test('is retried at growing intervals, up to once a minute per layer', async () => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 503 });
    await live.watch(10 * MINUTE_MS);
    live.service.clearRequests();
    await live.watch(10 * MINUTE_MS);
    expect(live.countOf('live_adsb')).toBeLessThanOrEqual(10);
    expect(live.countOf('live_adsb')).toBeGreaterThanOrEqual(8);
  });

  test('an hour of outage is never shown as fresh, and ends within a minute without a burst', async () => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 503 });
    for (let minute = 0; minute < 60; minute++) {
      await live.watch(MINUTE_MS);
      expect((await live.read()).layers.adsb?.state).toBe('stale');
    }
    live.service.clearFault();
    live.service.clearRequests();
    await live.watch(MINUTE_MS);
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
    await live.watch(MINUTE_MS);
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
    await live.watch(MINUTE_MS);
    expect((await live.read()).layers.adsb?.reason).toBe('redirected');
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
    await live.watch(MINUTE_MS);
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
