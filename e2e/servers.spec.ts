import { setTimeout as delay } from 'node:timers/promises';
import type { APIRequestContext } from '@playwright/test';
import { request as undici } from 'undici';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { freePort } from '#testing/free-port.ts';
import { cookieOf } from './driver/api-answers.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { iso, pastWindow } from './driver/past-window.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { canStartServers, type RunningServers, type Server, startServers } from './running/running-servers.ts';

/** Some answer always runs; `npm run bench -- servers-rolling` has more. */
const VIEWERS = 10;
const COLD_READS = 30;
const UPSTREAM_MS = 500;

test.describe.configure({ mode: 'default' });

let all: RunningServers;
test.beforeAll(async ({ plainBasemap }) => {
  test.skip(!canStartServers(), 'PostgreSQL or nginx is not installed');
  all = await startServers({
    servers: 3,
    operators: ['alice', 'bea'],
    service: { options: ['--allowance', '600,200000'] },
    settings: plainBasemap,
    hasStandby: true,
  });
});
test.afterAll(() => all?.stop());

async function statusAt(request: APIRequestContext, url: string, cookie: string): Promise<number> {
  return (await request.get(`${url}/api/live?bbox=8,46,9,47&page=status`, { headers: { cookie } })).status();
}

interface LiveAnswer {
  readonly as_of: string;
  readonly layers: { readonly adsb: { readonly state: string; readonly fetched_at: string | null } };
}

/** @returns when it was read, and whether it is called fresh */
async function pictureAt(url: string, cookie: string, page: string) {
  const { statusCode, body } = await undici(`${url}/api/live?bbox=8,46,9,47&layers=adsb&page=${page}`, {
    headers: { cookie },
    reset: true,
  });
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${await body.text()}`);
  const { as_of, layers } = (await body.json()) as LiveAnswer;
  const { state, fetched_at } = layers.adsb;
  const fetchedMs = fetched_at === null ? 0 : Date.parse(fetched_at);
  return { fetchedMs, isFresh: state === 'fresh', ageMs: Date.parse(as_of) - fetchedMs };
}

async function allRead(servers: readonly Server[], cookie: string, sinceMs: number): Promise<void> {
  for (const { url, name } of servers)
    await expect(async () => {
      const { fetchedMs, isFresh, ageMs } = await pictureAt(url, cookie, `after-${name}`);
      if (isFresh) expect(ageMs).toBeLessThanOrEqual(FRESH_MAX_MS);
      expect(fetchedMs).toBeGreaterThan(sinceMs);
    }).toPass({ intervals: [100] });
}

async function takenOver(fence: number): Promise<void> {
  await expect
    .poll(
      () =>
        all.turn().then(
          (turn) => turn.fence,
          () => fence,
        ),
      { intervals: [20] },
    )
    .toBeGreaterThan(fence);
}

test('Three servers behind nginx are one Lookout', async ({ page, request }) => {
  const [alice, bea] = all.operators;
  if (!alice || !bea) throw new Error('no operators');
  const operator = new LookoutDriver(page, all.url);
  const signIn = new SignInDriver(page, all.url);
  await signIn.opens('/');
  await signIn.submits(alice);
  await operator.seesPositions();

  await test.step('The Allowance panel lists all servers, and names the writer', async () => {
    await page
      .getByRole('button', { name: 'Show the allowance' })
      .or(page.getByTestId('chip-allowance'))
      .first()
      .click();
    const servers = page.getByTestId('servers').getByRole('listitem');
    await expect(servers).toHaveCount(3);
    await expect(servers.filter({ hasText: (await all.turn()).writer.name })).toHaveCount(1);
    await expect(page.getByText('Spent today by all servers')).toBeVisible();
  });

  await test.step('A session is valid at all servers, and ends at all when one ends it', async () => {
    const cookie = await cookieOf(request, all, bea);
    for (const { url } of all.servers) expect(await statusAt(request, url, cookie)).toBe(200);
    const [first] = all.servers;
    const out = await request.delete(`${first?.url}/api/session`, { headers: { cookie, origin: first?.url ?? '' } });
    expect(out.status()).toBe(204);
    for (const { url } of all.servers)
      await expect.poll(() => statusAt(request, url, cookie), { intervals: [20] }).toBe(401);
  });

  await test.step('Cold reads at all servers are one refresh of each layer', async () => {
    const cookie = await cookieOf(request, all, alice);
    await all.service.breakWith({ kind: 'slow', delay_ms: UPSTREAM_MS });
    await Promise.all(
      Array.from({ length: COLD_READS }, async (_, read) => {
        const { url } = all.servers[read % 3] as Server;
        const { statusCode, body } = await undici(`${url}/api/live?bbox=-60,40,-59,41&page=cold-${read}`, {
          headers: { cookie },
        });
        await body.dump();
        expect(statusCode).toBe(200);
      }),
    );
    await all.service.mend();
    for (const layer of ['live_rid', 'live_adsb'] as const) {
      const sent = (await all.service.requestsFor(layer)).filter(({ query }) =>
        /bbox=-6\d/.test(decodeURIComponent(query)),
      );
      const firstMs = Math.min(...sent.map(({ received_at }) => Date.parse(received_at)));
      expect(sent.filter(({ received_at }) => Date.parse(received_at) < firstMs + UPSTREAM_MS)).toHaveLength(1);
    }
  });

  await test.step('While PostgreSQL is lost, the picture ages, nothing is requested, and nothing is called fresh', async () => {
    const cookie = await cookieOf(request, all, alice);
    // A server lets a known session read for a minute.
    for (const { url } of all.servers) await pictureAt(url, cookie, 'lost');
    all.database.stop();
    await expect(page.getByText('the database of Lookout does not answer').first()).toBeVisible();
    await all.service.forgetRequests();
    await delay(3000);
    expect(await all.service.requests()).toEqual([]);
    expect(await operator.marksDrawn()).toBeGreaterThan(0);
    for (const { url } of all.servers) {
      const { isFresh, ageMs } = await pictureAt(url, cookie, 'lost');
      if (isFresh) expect(ageMs).toBeLessThanOrEqual(FRESH_MAX_MS);
    }
    all.database.start();
    await allRead(all.servers, cookie, Date.now());
    await expect(page.getByText('the database of Lookout does not answer')).toHaveCount(0);
  });

  await test.step('After SIGTERM of the writer another server is the writer', async () => {
    const { fence, writer } = await all.turn();
    const stopped = all.stopServer(writer);
    await takenOver(fence);
    await stopped;
    await all.start(writer);
  });

  await test.step('After SIGKILL of the writer another server is the writer', async () => {
    const cookie = await cookieOf(request, all, alice);
    const { fence, writer } = await all.turn();
    await all.kill(writer);
    const killedMs = Date.now();
    await takenOver(fence);
    await allRead(
      all.servers.filter((each) => each !== writer),
      cookie,
      killedMs,
    );
    await all.start(writer);
    await operator.seesPositions();
  });
});

test('All servers are replaced one after the other, and no answer fails', async ({ page, request }) => {
  const [alice] = all.operators;
  if (!alice) throw new Error('no operators');
  const cookie = await cookieOf(request, all, alice);
  const statuses = new Map<number, number>();
  let isOver = false;
  const ask = async (path: string) => {
    const { statusCode, body } = await undici(all.url + path, { headers: { cookie } });
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    return body.text();
  };
  const view = async (index: number) => {
    for (let turn = 0; !isOver; turn++) {
      const west = 7 + ((index + turn) % 10) / 10;
      await ask(`/api/live?bbox=${west},46,${west + 1},47&page=viewer-${index}`);
      await delay(500);
    }
  };
  const { start, end } = pastWindow(3);
  const loads = async () => {
    while (!isOver) {
      const past = await ask(`/api/history?bbox=8,46,8.5,46.5&layers=adsb&start=${iso(start)}&end=${iso(end)}`);
      expect(past).toContain('"type":"end"');
      await delay(200);
    }
  };
  const traffic = Promise.all([...Array.from({ length: VIEWERS }, (_, index) => view(index)), loads()]);
  const before = all.servers.map(({ app }) => app.pid);
  for (const server of all.servers) {
    await all.stopServer(server);
    await all.start(server);
  }
  isOver = true;
  await traffic;
  expect([...statuses.keys()]).toEqual([200]);
  expect(all.servers.filter(({ app }) => before.includes(app.pid))).toEqual([]);
  const signIn = new SignInDriver(page, all.url);
  await signIn.opens('/');
  await signIn.submits(alice);
  await new LookoutDriver(page, all.url).seesPositions();
});

test('After PostgreSQL fails over to its standby, every server reads again', async ({ request }) => {
  const [alice] = all.operators;
  if (!alice) throw new Error('no operators');
  const cookie = await cookieOf(request, all, alice);
  for (const { url } of all.servers) await pictureAt(url, cookie, 'primary');
  const { fence } = await all.turn();
  all.database.failOver();
  await allRead(all.servers, cookie, Date.now());
  expect((await all.turn()).fence).toBeGreaterThanOrEqual(fence);
});

test('After SIGTERM a server is not ready, and answers for DRAIN_SECONDS', async ({ request }) => {
  const metricsPort = await freePort();
  const [server] = all.servers;
  if (!server) throw new Error('no server');
  await all.stopServer(server);
  await all.start(server, { DRAIN_SECONDS: '3', METRICS_PORT: String(metricsPort) });
  const metrics = await (await request.get(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain('lookout_database_usable 1');
  const stopped = all.stopServer(server);
  await expect.poll(async () => (await request.get(`${server.url}/readyz`)).status()).toBe(503);
  expect(await (await request.get(`${server.url}/readyz`)).json()).toMatchObject({
    ready: false,
    missing: ['leaving'],
  });
  expect((await request.get(`${server.url}/healthz`)).status()).toBe(200);
  await stopped;
  await expect(request.get(`${server.url}/healthz`)).rejects.toThrow('ECONNREFUSED');
});

test('Six greedy operators at all servers are refused no request', async ({ plainBasemap, playwright }) => {
  const perMinute = 30;
  const names = ['ada', 'ben', 'cleo', 'dora', 'emil', 'fay'];
  const few = await startServers({
    servers: 2,
    operators: names,
    service: { options: ['--allowance', `${perMinute},86400`] },
    settings: plainBasemap,
  });
  try {
    const cookies: string[] = [];
    for (const operator of few.operators) {
      // A sign-in ends the browser's earlier session.
      const browser = await playwright.request.newContext();
      cookies.push(await cookieOf(browser, few, operator));
      await browser.dispose();
    }
    /** 120 requests, the allowance of four minutes. */
    const openAll = () =>
      Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const { url } = few.servers[index % 2] as Server;
          const west = -170 + 5 * index;
          const path = `/api/live?bbox=${west},40,${west + 1},41&page=${index}`;
          const { statusCode, body } = await undici(url + path, { headers: { cookie: cookies[index % 6] as string } });
          await body.dump();
          expect(statusCode).toBe(200);
        }),
      );
    await expect(async () => {
      await openAll();
      expect((await few.service.requests()).length).toBeGreaterThan((2 / 3) * perMinute);
    }).toPass({ intervals: [500] });
    await openAll();
    const byMinute = Map.groupBy(await few.service.requests(), ({ received_at }) => received_at.slice(0, 16));
    expect(Math.max(...byMinute.values().map(({ length }) => length))).toBeLessThanOrEqual(perMinute);
  } finally {
    await few.stop();
  }
});
