import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compactHeadSchema, formatSince, parseSince, type Since } from '#lib/api/compact-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';
import { MIN_POLL_MS } from './live-reader.ts';

const VIEW = { west: 8, south: 47, east: 9, north: 48 };
const WAIT_MS = 60_000;

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness();
});
afterEach(() => live.close());

async function poll(since: Since, waitMs?: number, page = 'only', layers: readonly ('adsb' | 'rid')[] = ['adsb']) {
  const viewer = { operator: 'local', session: undefined, page };
  const { head } = splitHead(await live.reader.readCompact(viewer, VIEW, layers, since, { waitMs }));
  const { layers: answered, ...view } = compactHeadSchema.parse(head);
  const parts = Object.values(answered).flatMap((layer) => layer?.parts ?? []);
  const next = parseSince(formatSince(new Map(parts.map(({ area, sequence }) => [area, sequence])))) as Since;
  return { ...view, since: next, bodies: parts.flatMap(({ bodies }) => bodies).length };
}

async function refreshed(): Promise<void> {
  live.moveClock(10_000);
  await live.scheduler.tick();
  await live.scheduler.idle();
}

test('a poll of a page that has everything waits for the next snapshot, and says how long', async () => {
  const { since } = await poll(new Map());
  await live.scheduler.idle();
  live.moveClock(4000);
  const waiting = poll(since, WAIT_MS);
  await refreshed();
  const answer = await waiting;
  expect(answer.bodies).toBe(1);
  expect(answer.since).not.toEqual(since);
  expect(answer.held_ms).toBeLessThan(WAIT_MS);
});

test('all polls that wait are answered by one refresh', async () => {
  const { since } = await poll(new Map());
  await live.scheduler.idle();
  const before = live.service.requests().length;
  const waiting = Array.from({ length: 50 }, (_, page) => poll(since, WAIT_MS, `page-${page}`));
  await refreshed();
  expect((await Promise.all(waiting)).every(({ bodies }) => bodies === 1)).toBe(true);
  expect(live.service.requests()).toHaveLength(before + 1);
});

test('polls that wait for one refresh, or for first records, leave turns to other requests', async () => {
  const mostPerTurn = async (polls: readonly Promise<unknown>[]) => {
    let answered = 0;
    for (const each of polls) void each.then(() => answered++);
    let [most, before] = [0, 0];
    while (answered < polls.length) {
      await nextTurn();
      most = Math.max(most, answered - before);
      before = answered;
    }
    return most;
  };
  const first = Array.from({ length: 200 }, (_, page) => poll(new Map(), undefined, `page-${page}`));
  expect(await mostPerTurn(first)).toBeLessThanOrEqual(32);
  await live.scheduler.idle();
  const { since } = await poll(new Map());
  const waiting = Array.from({ length: 200 }, (_, page) => poll(since, WAIT_MS, `page-${page}`));
  const [most] = await Promise.all([mostPerTurn(waiting), refreshed()]);
  expect(most).toBeLessThanOrEqual(32);
});

test('a poll that lacks something is answered at once', async () => {
  const { since } = await poll(new Map());
  await live.scheduler.idle();
  await refreshed();
  expect(await poll(since, WAIT_MS)).toMatchObject({ bodies: 1, held_ms: 0 });
  expect(await poll(new Map(), WAIT_MS)).toMatchObject({ bodies: 1, held_ms: 0 });
});

test('a poll does not wait for what is due only later', async () => {
  await live.close();
  live = await startLiveHarness({ allowance: { perMinute: 60, perDay: 500 } });
  const { since } = await poll(new Map());
  await live.scheduler.tick();
  await live.scheduler.idle();
  const answer = await poll(since, 500);
  expect(answer).toMatchObject({ bodies: 0, held_ms: 0 });
  expect(answer.next_poll_ms).toBeGreaterThan(MIN_POLL_MS);
});

test('the end of the wait, and a stop, answer what there is', async () => {
  const { since } = await poll(new Map());
  await live.scheduler.idle();
  live.moveClock(5000);
  expect((await poll(since, 20)).bodies).toBeLessThanOrEqual(1);
  const waiting = poll((await poll(since)).since, WAIT_MS);
  live.reader.close();
  expect((await waiting).bodies).toBe(0);
});
