import { afterAll, beforeAll, expect, test } from 'vitest';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { ask, expectRefusal } from '#testing/api-requests.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { OpenedStream } from '#testing/opened-stream.ts';
import { iso, pastWindow } from '#testing/past-window.ts';

const VIEW = '7,46,9,48';
/** Two others enter the queue before; operators have half a minute. */
const STALL_MS = 5000;
/** Slow compared with what else a request takes. */
const SLOW_MS = 300;
const PAST_IN_A_ROW_MAX = 20;

let lookout: LookoutHere;
beforeAll(async () => {
  lookout = await startLookoutHere({
    operators: ['anna', 'ben', 'cora', 'dora'],
    limits: { stallMs: STALL_MS },
  });
});
afterAll(() => lookout.stop());

/** Hours that end `index` hours ago: none shares a request. */
function pastQuery(index: number, hours = 1): string {
  const { start, end } = pastWindow(60 * hours);
  const backMs = index * HOUR_MS;
  return `bbox=${VIEW}&layers=adsb&start=${iso(start - backMs)}&end=${iso(end - backMs)}`;
}

function longestRunOfPast(operations: readonly string[]): number {
  let run = 0;
  return operations.reduce((longest, operation) => {
    run = operation === 'history_adsb' ? run + 1 : 0;
    return Math.max(longest, run);
  }, 0);
}

/** Two counts a second apart agree, and `isEnough` accepts. */
async function settles(count: () => number, isEnough: (count: number) => boolean): Promise<void> {
  let before = Number.NaN;
  const isSame = () => {
    const now = count();
    const same = now === before && isEnough(now);
    before = now;
    return same;
  };
  await expect.poll(isSame, { interval: 1000 }).toBe(true);
}

test('One operator’s forty loads delay no other operator; an answer ends with its session, and without a reader', async () => {
  const { url, service } = lookout;
  const historyOf =
    (cookie: string) =>
    (index: number, { isRead = true, hours = 1 } = {}) =>
      new OpenedStream(`${url}/api/history?${pastQuery(index, hours)}`, cookie, isRead);
  const [annas, annasOther] = [await lookout.signIn('anna'), await lookout.signIn('anna')];
  const [bens, coras, doras] = await Promise.all(['ben', 'cora', 'dora'].map(lookout.signIn));
  if (!bens || !coras || !doras) throw new Error('no sessions');
  const get = (path: string, cookie: string) => ask(`${url}${path}`, { headers: { cookie } });
  const requestsOfThePast = () => service.requests().filter(({ operation }) => operation === 'history_adsb');
  /** The stalled load is of the newest hour. */
  const startOfStalled = new URLSearchParams(pastQuery(0)).get('start') ?? '';
  const requestsOfStalled = () =>
    requestsOfThePast().filter(({ query }) => (new URLSearchParams(query).get('start') ?? '') >= startOfStalled).length;
  const lastOf = ({ lines }: OpenedStream) => lines.at(-1);

  // Held, so that the third waits while nothing was sent to the first.
  service.breakWith({ kind: 'hold' });
  const stalled = historyOf(coras)(0, { isRead: false });
  await expect.poll(() => stalled.status).toBe(200);
  const corasOther = historyOf(coras)(80, { hours: 3 });
  await expect.poll(() => lastOf(corasOther)).toBeDefined();
  const corasThird = historyOf(coras)(2);
  await expect.poll(() => corasThird.lines).toContainEqual({ type: 'queued', rank: 1, running: 2 });
  const stalledAtMs = performance.now();
  service.breakWith({ kind: 'slow', delay_ms: SLOW_MS });
  const turnCame = corasThird
    .last(({ type }) => type !== 'queued')
    .then(() => ({ atMs: performance.now(), runsStill: lastOf(corasOther)?.type !== 'end' }));

  const watches = async (refreshes: number) => {
    const seen = new Set<string>();
    const seenMore = async () => {
      const { layers } = (await get(`/api/live?bbox=${VIEW}&layers=adsb&page=one`, bens)).json();
      if (layers.adsb.fetched_at) seen.add(layers.adsb.fetched_at);
      // The first was read before.
      return seen.size - 1;
    };
    await expect.poll(seenMore, { interval: 250 }).toBeGreaterThanOrEqual(refreshes);
  };
  // Nothing is requested for a reader who takes nothing.
  await settles(requestsOfStalled, (count) => count > 0);
  await watches(0);
  const load = historyOf(annas);

  // Two of them run, and the others show their place in the queue.
  service.breakWith({ kind: 'hold', operation: 'history_adsb' });
  const loads = Array.from({ length: 40 }, (_, index) => load(3 + index));
  await expect.poll(() => loads.filter(({ lines }) => lines.length > 0).length).toBe(40);
  expect(loads.filter(({ lines }) => lines.every(({ type }) => type !== 'queued'))).toHaveLength(2);
  const ranks = loads.flatMap((each) => (lastOf(each)?.type === 'queued' ? [lastOf(each)?.rank] : []));
  expect(new Set(ranks)).toEqual(new Set(Array.from({ length: 38 }, (_, at) => at + 1)));
  const more = [load(50), load(51)];
  await expect.poll(() => more.filter(({ lines }) => lines.length > 0).length).toBe(2);
  for (const path of ['history?', 'export?format=csv&'])
    expectRefusal(await get(`/api/${path}${pastQuery(52)}`, annas), 429, 'too_many_loads');
  for (const each of more) each.close();
  service.breakWith({ kind: 'slow', delay_ms: SLOW_MS });

  // Others’ views are refreshed, and a new place is read, before what the loads still request.
  service.forgetRequests();
  await watches(2);
  const [area] = statusAnswerSchema.parse((await get('/api/status', bens)).json()).areas;
  expect(area?.interval_ms).toBe(1000);
  const newPlace = async () =>
    (await get('/api/live?bbox=1,44,3,45&layers=adsb&page=two', bens)).json().layers.adsb.fetched_at;
  await expect.poll(newPlace).not.toBeNull();
  const operations = service.requests().map(({ operation }) => operation);
  expect(operations).toContain('history_adsb');
  expect(longestRunOfPast(operations)).toBeLessThanOrEqual(PAST_IN_A_ROW_MAX);

  // Another session of the operator has its place behind them, and moves when what was before it ends.
  for (const each of loads.slice(3)) each.close();
  const behind = historyOf(annasOther)(53);
  await expect.poll(() => lastOf(behind)).toMatchObject({ type: 'queued', rank: 2, running: 2 });
  loads[2]?.close();
  await expect.poll(() => lastOf(behind)).toMatchObject({ type: 'queued', rank: 1, running: 2 });
  loads[0]?.close();
  await expect.poll(() => lastOf(behind)?.type).not.toBe('queued');
  behind.close();

  // Answers end with a sign-out, and with a new password.
  const signedOut = [loads[1], load(60), load(61), load(62)].flatMap((each) => each ?? []);
  const exported = new OpenedStream(`${url}/api/export?format=csv&${pastQuery(63)}`, annasOther);
  await expect.poll(() => signedOut.every(({ lines }) => lines.length > 0)).toBe(true);
  const headers = { cookie: annas, origin: url };
  expect((await ask(`${url}/api/session`, { method: 'DELETE', headers })).status).toBe(204);
  expect(await Promise.all(signedOut.map(({ ended }) => ended))).toEqual([false, false, false, false]);
  await expect.poll(() => exported.status, { message: 'the other session’s turn has come' }).toBe(200);
  await lookout.changePassword('anna');
  expect(await exported.ended).toBe(false);

  // Removing the operator ends the load too.
  const removed = historyOf(doras)(70);
  await expect.poll(() => removed.lines.length).toBeGreaterThan(0);
  await lookout.removeOperator('dora');
  expect(await removed.ended).toBe(false);

  // A reader who takes nothing is cut: its load is none that others wait for.
  const { atMs, runsStill } = await turnCame;
  expect(atMs - stalledAtMs).toBeGreaterThan(STALL_MS);
  expect(runsStill, 'the other load').toBe(true);
  for (const each of [corasOther, corasThird, stalled]) each.close();

  // Nothing more is requested when everybody has gone.
  service.mend();
  await settles(
    () => requestsOfThePast().length,
    () => true,
  );
  expect(lookout.log()).toBe('');
});
