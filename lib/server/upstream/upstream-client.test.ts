import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';
import { Budget } from './budget.ts';
import type { PageOutcome } from './page-outcome.ts';

const bbox = { west: 8, south: 47, east: 9, north: 48 };
const START = upstreamInstant(Date.UTC(2026, 10, 21, 10));
/** Long enough that whoever ends sooner did not wait for the answer, also on a busy machine. */
const SLOW_MS = 1000;
const PATIENT = { connectMs: 10_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 20_000 };

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness({}, PATIENT);
});
afterEach(() => live.close());

/** One page of the past, of a different minute each time. `page` settles after its budget was closed. */
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
const reserved = async () => (await live.ledger.state(live.client.clock.now())).minute.reserved;

/** Aborts a request that waits, and expects it to end at once and leave nothing behind, while `others` go on. */
async function expectGivenUp(
  waiting: ReturnType<typeof requestPage>,
  others: readonly ReturnType<typeof requestPage>[],
) {
  const { signal } = waiting.closing;
  await expect.poll(() => getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
  const before = requests();
  const reason = new Error('the page was closed');
  waiting.closing.abort(reason);
  await expect(waiting.page).rejects.toBe(reason);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(await reserved()).toBe(others.length);
  for (const other of others) expect(await kindOf(other)).toBe('page');
  expect(requests()).toBe(before);
  expect(await reserved()).toBe(0);
  // Its place in the queue is free again.
  expect(await kindOf(requestPage(50))).toBe('page');
}

describe('aborting a request', () => {
  test('while another probes the operation', async () => {
    expect(await kindOf(requestPage(0, 'rid'))).toBe('page');
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const probe = requestPage(1);
    await expect.poll(requests).toBe(2);
    await expectGivenUp(requestPage(2), [probe]);
  });

  test('while the answer to another has not started', async () => {
    expect(await kindOf(requestPage(0))).toBe('page');
    live.moveClock(5000);
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const first = requestPage(1);
    await expect.poll(requests).toBe(2);
    await expectGivenUp(requestPage(2), [first]);
  });

  test('while another probes the allowance', async () => {
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const first = requestPage(1, 'rid');
    await expect.poll(requests).toBe(1);
    await expectGivenUp(requestPage(2), [first]);
  });

  test('while it is queued', async () => {
    expect(await kindOf(requestPage(0))).toBe('page');
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const four = [1, 2, 3, 4].map((minute) => requestPage(minute));
    await expect.poll(requests).toBe(5);
    await expectGivenUp(requestPage(5), four);
  });

  test('before it is sent: it is never sent', async () => {
    const { page, closing } = requestPage(1);
    closing.abort();
    await expect(page).rejects.toBe(closing.signal.reason);
    expect(await reserved()).toBe(0);
    expect(requests()).toBe(0);
  });

  test('after it was sent: it is paid for, so its answer is read', async () => {
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const { page, closing } = requestPage(1);
    await expect.poll(requests).toBe(1);
    closing.abort();
    expect((await page).kind).toBe('page');
    expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
  });
});
