import type { APIRequestContext } from '@playwright/test';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { cookieOf, expectRefusal } from './driver/api-answers.ts';
import { OpenedStream } from './driver/opened-stream.ts';
import { iso, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';
import { changePassword, type OperatorAccount, removeOperator } from './running/operators.ts';
import type { RunningLookout } from './running/running-lookout.ts';

const VIEW = '7,46,9,48';
/** Others enter the queue before; operators have half a minute. */
const STALL_MS = 10_000;
/** Slow compared with the 5 s between two refreshes. */
const SLOW_MS = 600;
const PAST_IN_A_ROW_MAX = 20;

/** Disjoint, so that none shares a request. */
function pastQuery(index: number, minutes = 60, bbox = VIEW): string {
  const { start, end } = pastWindow(minutes);
  const backMs = index * HOUR_MS;
  return `bbox=${bbox}&layers=adsb&start=${iso(start - backMs)}&end=${iso(end - backMs)}`;
}

function historyOf({ url }: RunningLookout, cookie: string) {
  return (index: number, isRead = true) => new OpenedStream(`${url}/api/history?${pastQuery(index)}`, cookie, isRead);
}

async function watches(request: APIRequestContext, url: string, cookie: string, refreshes: number): Promise<void> {
  const seen = new Set<string>();
  await expect
    .poll(
      async () => {
        const answer = await request.get(`${url}/api/live?bbox=${VIEW}&layers=adsb&page=one`, { headers: { cookie } });
        const fetchedAt = (await answer.json()).layers.adsb.fetched_at;
        if (!fetchedAt) return -1;
        seen.add(fetchedAt);
        // The first was read before.
        return seen.size - 1;
      },
      { intervals: [250] },
    )
    .toBeGreaterThanOrEqual(refreshes);
}

function longestRunOfPast(operations: readonly string[]): number {
  let run = 0;
  return operations.reduce((longest, operation) => {
    run = operation === 'history_adsb' ? run + 1 : 0;
    return Math.max(longest, run);
  }, 0);
}

/** Two counts a second apart agree, and `isEnough` accepts. */
async function settles(count: () => Promise<number>, isEnough: (count: number) => boolean): Promise<void> {
  let before = Number.NaN;
  await expect
    .poll(
      async () => {
        const now = await count();
        const isSame = now === before && isEnough(now);
        before = now;
        return isSame;
      },
      { intervals: [1000] },
    )
    .toBe(true);
}

test('One operator’s forty loads delay no other operator; an answer ends with its session, and without a reader', async ({
  request,
  startDesk,
  page,
  playwright,
}) => {
  const { lookout } = await startDesk({ operators: ['anna', 'ben', 'cora', 'dora'], stallMs: STALL_MS });
  const { url, service } = lookout;
  const [anna, ben, cora, dora] = lookout.operators;
  if (!anna || !ben || !cora || !dora) throw new Error('four operators were wanted');
  const signIn = async (account: OperatorAccount) => {
    // A second sign-in of one browser ends the first.
    const browser = await playwright.request.newContext();
    const cookie = await cookieOf(browser, lookout, account);
    await browser.dispose();
    return cookie;
  };
  const annas = await signIn(anna);
  const annasOther = await signIn(anna);
  const bens = await signIn(ben);
  const coras = await signIn(cora);
  const doras = await signIn(dora);
  const requestsOfThePast = async () =>
    (await service.requests()).filter(({ operation }) => operation === 'history_adsb').length;

  const stalled = historyOf(lookout, coras)(0, false);
  const stalledAtMs = performance.now();
  await test.step('Nothing is requested for a reader who takes nothing', async () => {
    await expect.poll(() => stalled.status).toBe(200);
    await settles(requestsOfThePast, (count) => count > 0);
  });
  await service.breakWith({ kind: 'slow', delay_ms: SLOW_MS });
  const corasOther = historyOf(lookout, coras)(1);
  const corasThird = historyOf(lookout, coras)(2);
  await expect.poll(() => corasThird.lines).toContainEqual({ type: 'queued', rank: 1, running: 2 });
  const hasTurn = expect.poll(() => corasThird.lines.at(-1)?.type).not.toBe('queued');
  const turnCame = hasTurn.then(() => ({
    atMs: performance.now(),
    runsStill: corasOther.lines.at(-1)?.type !== 'end',
  }));
  turnCame.catch(() => undefined);

  await watches(request, url, bens, 0);
  const load = historyOf(lookout, annas);
  const loads = Array.from({ length: 40 }, (_, index) => load(3 + index));

  await test.step('Two of them run, and the others show their place in the queue', async () => {
    await expect.poll(() => loads.filter(({ lines }) => lines.length > 0).length).toBe(40);
    const running = loads.filter(({ lines }) => lines.every(({ type }) => type !== 'queued'));
    expect(running).toHaveLength(2);
    const ranks = loads.flatMap(({ lines }) => (lines.at(-1)?.type === 'queued' ? [lines.at(-1)?.rank] : []));
    expect(new Set(ranks)).toEqual(new Set(Array.from({ length: 38 }, (_, at) => at + 1)));
    const more = [load(50), load(51)];
    await expect.poll(() => more.filter(({ lines }) => lines.length > 0).length).toBe(2);
    const refused = await request.get(`${url}/api/history?${pastQuery(52)}`, { headers: { cookie: annas } });
    await expectRefusal(refused, 429, 'too_many_loads');
    const exported = await request.get(`${url}/api/export?format=csv&${pastQuery(52)}`, { headers: { cookie: annas } });
    await expectRefusal(exported, 429, 'too_many_loads');
    for (const each of more) each.close();
  });

  await test.step('Others’ views are refreshed, and a new place is read, before what the loads still request', async () => {
    await service.forgetRequests();
    await watches(request, url, bens, 2);
    const status = await request.get(`${url}/api/status`, { headers: { cookie: bens } });
    const [area] = statusAnswerSchema.parse(await status.json()).areas;
    expect(area?.interval_ms).toBe(1000);
    await expect
      .poll(async () => {
        const live = `${url}/api/live?bbox=1,44,3,45&layers=adsb&page=two`;
        const answer = await request.get(live, { headers: { cookie: bens } });
        return (await answer.json()).layers.adsb.fetched_at;
      })
      .not.toBeNull();
    const operations = (await service.requests()).map(({ operation }) => operation);
    expect(operations).toContain('history_adsb');
    expect(longestRunOfPast(operations)).toBeLessThanOrEqual(PAST_IN_A_ROW_MAX);
  });

  await test.step('A replay says its place in words, and moves when what was before it ends', async () => {
    for (const each of loads.slice(3)) each.close();
    const [name = '', value = ''] = annasOther.split('=');
    await page.context().addCookies([{ name, value, url }]);
    await page.goto(`${url}${replayPath(pastWindow(3))}`);
    const dock = new ReplayDock(page);
    await expect(dock.loading).toHaveAttribute('data-loading', /^(quoted|queued)$/);
    if ((await dock.loading.getAttribute('data-loading')) === 'quoted') await dock.loads();
    await expect(dock.loading).toHaveText('2nd in the queue: two of your loads run');
    loads[2]?.close();
    await expect(dock.loading).toHaveText('1st in the queue: two of your loads run');
    loads[0]?.close();
    await dock.isLoaded();
    await page.goto('about:blank');
  });

  await test.step('Answers end with a sign-out, and with a new password', async () => {
    const signedOut = [loads[1], load(60), load(61), load(62)].flatMap((each) => each ?? []);
    const exported = new OpenedStream(`${url}/api/export?format=csv&${pastQuery(63)}`, annasOther);
    await expect.poll(() => signedOut.every(({ lines }) => lines.length > 0)).toBe(true);
    const headers = { cookie: annas, origin: url };
    expect((await request.delete(`${url}/api/session`, { headers })).status()).toBe(204);
    expect(await Promise.all(signedOut.map(({ ended }) => ended))).toEqual([false, false, false, false]);

    await expect.poll(() => exported.status, 'the other session’s turn has come').toBe(200);
    await changePassword(anna);
    expect(await exported.ended).toBe(false);
  });

  await test.step('and with the operator’s removal', async () => {
    const removed = historyOf(lookout, doras)(70);
    await expect.poll(() => removed.lines.length).toBeGreaterThan(0);
    await removeOperator(dora);
    expect(await removed.ended).toBe(false);
  });

  await test.step('A reader who takes nothing is cut: its load is none that others wait for', async () => {
    const { atMs, runsStill } = await turnCame;
    expect(atMs - stalledAtMs).toBeGreaterThan(STALL_MS);
    expect(runsStill, 'the other load').toBe(true);
    for (const each of [corasOther, corasThird, stalled]) each.close();
  });

  await test.step('Nothing more is requested when everybody has gone', async () => {
    await service.mend();
    await settles(requestsOfThePast, () => true);
    expect(lookout.app.stderr()).toBe('');
  });
});
