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

/** One page of the past, each time of another minute. `asked` ends as its caller sees it, its reservation given back. */
function askPage(minute: number, layer: 'rid' | 'adsb' = 'adsb') {
  const closing = new AbortController();
  const budget = new Budget(live.ledger, 'history', 1);
  const start = addMs(START, minute * 60_000);
  const window = { start, end: addMs(start, 60_000) };
  const asked = live.client.historyPage(layer, { bbox, window }, budget, closing.signal).finally(() => budget.close());
  asked.catch(() => undefined);
  return { asked, closing };
}

const kindOf = async ({ asked }: { asked: Promise<PageOutcome> }) => (await asked).kind;
const requests = () => live.service.requests().length;
const reserved = async () => (await live.ledger.state(live.client.clock.now())).minute.reserved;

/** Aborts it where it waits, and expects that it ends at once and leaves nothing behind, while `others` go on. */
async function expectGivenUp(waiting: ReturnType<typeof askPage>, others: readonly ReturnType<typeof askPage>[]) {
  const { signal } = waiting.closing;
  await expect.poll(() => getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
  const before = requests();
  const reason = new Error('the page was closed');
  waiting.closing.abort(reason);
  await expect(waiting.asked).rejects.toBe(reason);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(await reserved()).toBe(others.length);
  for (const other of others) expect(await kindOf(other)).toBe('page');
  expect(requests()).toBe(before);
  expect(await reserved()).toBe(0);
  // Its place is free, and nobody waits for what is not under way.
  expect(await kindOf(askPage(50))).toBe('page');
}

describe('a request that is given up', () => {
  test('while another tries the operation', async () => {
    expect(await kindOf(askPage(0, 'rid'))).toBe('page');
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const probe = askPage(1);
    await expect.poll(requests).toBe(2);
    await expectGivenUp(askPage(2), [probe]);
  });

  test('while the answer to another has not begun', async () => {
    expect(await kindOf(askPage(0))).toBe('page');
    live.moveClock(5000);
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const first = askPage(1);
    await expect.poll(requests).toBe(2);
    await expectGivenUp(askPage(2), [first]);
  });

  test('while another finds out what is left of the allowance', async () => {
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const first = askPage(1, 'rid');
    await expect.poll(requests).toBe(1);
    await expectGivenUp(askPage(2), [first]);
  });

  test('while it waits for a place', async () => {
    expect(await kindOf(askPage(0))).toBe('page');
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const four = [1, 2, 3, 4].map((minute) => askPage(minute));
    await expect.poll(requests).toBe(5);
    await expectGivenUp(askPage(5), four);
  });

  test('before it was made is not made', async () => {
    const { asked, closing } = askPage(1);
    closing.abort();
    await expect(asked).rejects.toBe(closing.signal.reason);
    expect(await reserved()).toBe(0);
    expect(requests()).toBe(0);
  });

  test('once it has left is paid, and so it is read to its end', async () => {
    live.service.setFault({ kind: 'slow', delay_ms: SLOW_MS });
    const { asked, closing } = askPage(1);
    await expect.poll(requests).toBe(1);
    closing.abort();
    expect((await asked).kind).toBe('page');
    expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
  });
});
