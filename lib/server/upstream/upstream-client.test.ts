import { getEventListeners } from 'node:events';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { type LiveHarness, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';
import { Budget } from './budget.ts';
import type { PageOutcome } from './page-outcome.ts';

const bbox = { west: 8, south: 47, east: 9, north: 48 };
const START = upstreamInstant(Date.UTC(2026, 10, 21, 10));

let live: LiveHarness;
let answering: PromiseWithResolvers<void> | undefined;
beforeEach(async () => {
  answering = undefined;
  const history = async () => {
    await answering?.promise;
    return { observations: [], more: false };
  };
  live = await startLiveHarness({ source: { ...steadyTraffic(3), history } });
});
afterEach(async () => {
  vi.useRealTimers();
  releasePast();
  await live.close();
});

function holdPast() {
  answering = Promise.withResolvers();
}

function releasePast() {
  answering?.resolve();
  answering = undefined;
}

/** `page` settles after its budget was closed. */
function requestPage(minute: number, layer: 'rid' | 'adsb' = 'adsb') {
  const closing = new AbortController();
  const budget = new Budget(live.ledger, 'history', 1);
  const start = addMs(START, minute * 60_000);
  const window = { start, end: addMs(start, 60_000) };
  const page = live.client.historyPage(layer, { bbox, window }, budget, closing.signal).finally(() => budget.close());
  page.catch(() => undefined);
  return { page, closing };
}

const kindOf = async ({ page }: { page: Promise<PageOutcome> }) => (await page).kind;
const requests = () => live.service.requests().length;
// Not `expect.poll`, which moves a faked clock on at each try.
const haveArrived = async (count: number) => {
  while (requests() < count) await nextLoop();
  expect(requests()).toBe(count);
};
const reserved = async () => (await live.ledger.state(live.client.clock.now())).minute.reserved;

async function expectGivenUp(
  waiting: ReturnType<typeof requestPage>,
  others: readonly ReturnType<typeof requestPage>[],
) {
  const { signal } = waiting.closing;
  while (getEventListeners(signal, 'abort').length === 0) await nextLoop();
  const before = requests();
  const reason = new Error('the page was closed');
  waiting.closing.abort(reason);
  await expect(waiting.page).rejects.toBe(reason);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(await reserved()).toBe(others.length);
  releasePast();
  for (const other of others) expect(await kindOf(other)).toBe('page');
  expect(requests()).toBe(before);
  expect(await reserved()).toBe(0);
  // Its place in the queue is free again.
  expect(await kindOf(requestPage(50))).toBe('page');
}

describe('aborting a request', () => {
  test('while another probes the operation', async () => {
    expect(await kindOf(requestPage(0, 'rid'))).toBe('page');
    holdPast();
    const probe = requestPage(1);
    await haveArrived(2);
    await expectGivenUp(requestPage(2), [probe]);
  });

  test('while the answer to another has not started', async () => {
    expect(await kindOf(requestPage(0))).toBe('page');
    live.moveClock(5000);
    holdPast();
    // The gate waits 100 ms for the start of an answer.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const first = requestPage(1);
    await haveArrived(2);
    await expectGivenUp(requestPage(2), [first]);
  });

  test('while another probes the allowance', async () => {
    holdPast();
    const first = requestPage(1, 'rid');
    await haveArrived(1);
    await expectGivenUp(requestPage(2), [first]);
  });

  test('while it is queued', async () => {
    expect(await kindOf(requestPage(0))).toBe('page');
    holdPast();
    const three = [1, 2, 3].map((minute) => requestPage(minute));
    await haveArrived(4);
    await expectGivenUp(requestPage(4), three);
  });

  test('before it is sent: it is never sent', async () => {
    const { page, closing } = requestPage(1);
    closing.abort();
    await expect(page).rejects.toBe(closing.signal.reason);
    expect(await reserved()).toBe(0);
    expect(requests()).toBe(0);
  });

  test('after it was sent: it is paid for, so its answer is read', async () => {
    holdPast();
    const { page, closing } = requestPage(1);
    await haveArrived(1);
    closing.abort();
    releasePast();
    expect((await page).kind).toBe('page');
    expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
  });
});

describe('live before the past', () => {
  const requestLive = async (layer: 'rid' | 'adsb', west: number) => {
    const budget = new Budget(live.ledger, 'scheduled', 1);
    const outcome = await live.client.livePage(
      layer,
      { bbox: { ...bbox, west }, limit: 10, cursor: undefined },
      budget,
    );
    await budget.close();
    return outcome.kind;
  };
  const operations = () => live.service.requests().map(({ operation }) => operation);

  test('any number of history requests leaves one connection free: a live request is answered at once', async () => {
    expect(await kindOf(requestPage(0))).toBe('page');
    holdPast();
    const past = Array.from({ length: 40 }, (_, minute) => requestPage(minute + 1));
    await haveArrived(4);
    expect(await requestLive('adsb', 8)).toBe('page');
    expect(operations().slice(4), 'no request of the past was sent or answered meanwhile').toEqual(['live_adsb']);
    expect(await reserved(), 'what waits reserves nothing of the allowance').toBe(3);
    for (const { closing } of past) closing.abort();
    releasePast();
    await Promise.allSettled(past.map(({ page }) => page));
    expect(await reserved()).toBe(0);
  });

  test('of what waits for a connection, live requests go first', async () => {
    expect(await kindOf(requestPage(0))).toBe('page');
    expect(await requestLive('adsb', 8)).toBe('page');
    // Longer than a live request waits for another answer to start.
    live.service.setFault({ kind: 'slow', delay_ms: 2500 });
    const past = [1, 2, 3, 4, 5, 6].map((minute) => requestPage(minute));
    await haveArrived(5);
    const views = [8.1, 8.2, 8.3, 8.4].map((west) => requestLive('adsb', west));
    await expect.poll(requests, { timeout: 20_000 }).toBeGreaterThanOrEqual(9);
    live.service.clearFault();
    expect(await Promise.all(views)).toEqual(views.map(() => 'page'));
    expect(operations().slice(5, 9)).toEqual(['live_adsb', 'live_adsb', 'live_adsb', 'live_adsb']);
    for (const { page } of past) expect((await page).kind).toBe('page');
  });
});
