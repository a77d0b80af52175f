import { setTimeout as delay } from 'node:timers/promises';
import type { APIRequestContext } from '@playwright/test';
import { request as undici } from 'undici';
import { freePort } from '#lib/server/http/free-port.fixture.ts';
import { hasRedis } from '#lib/server/redis/redis-process.fixture.ts';
import { installedNginx } from '../scripts/setup/debian-packages.ts';
import { cookieOf } from './driver/api-answers.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { iso, pastWindow } from './driver/past-window.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { type RunningFleet, startFleet } from './running/running-fleet.ts';

/** Enough that some answer is always under way; under load it is tried by `npm run bench -- fleet-rolling`. */
const VIEWERS = 10;

test.describe.configure({ mode: 'default' });

let fleet: RunningFleet;
test.beforeAll(async ({ plainBasemap }) => {
  test.skip(!hasRedis() || installedNginx() === undefined, 'redis-server or nginx is not installed');
  fleet = await startFleet({
    replicas: 3,
    operators: ['alice', 'bea'],
    // A whole day of requests is left, so that intervals are short.
    service: { options: ['--allowance', '600,200000'] },
    settings: plainBasemap,
  });
});
test.afterAll(() => fleet?.stop());

/** The status of whatever the replica answers to who has this cookie. */
async function statusAt(request: APIRequestContext, url: string, cookie: string): Promise<number> {
  return (await request.get(`${url}/api/live?bbox=8,46,9,47&page=status`, { headers: { cookie } })).status();
}

test('Three replicas behind nginx are one Lookout: a lost store, a signed-out operator, replaced and killed replicas', async ({
  page,
  request,
}) => {
  const [alice, bea] = fleet.operators;
  if (!alice || !bea) throw new Error('no operators');
  const operator = new LookoutDriver(page, fleet.url);
  const signIn = new SignInDriver(page, fleet.url);
  await signIn.opens('/');
  await signIn.submits(alice);
  await operator.seesPositions();

  await test.step('The Allowance tab has all of them, and which one plans', async () => {
    await page
      .getByRole('button', { name: 'Show the allowance' })
      .or(page.getByTestId('chip-allowance'))
      .first()
      .click();
    const servers = page.getByTestId('servers').getByRole('listitem');
    await expect(servers).toHaveCount(3);
    await expect(servers.filter({ hasText: 'plans for all' })).toHaveCount(1);
    await expect(page.getByText('Spent today by all servers')).toBeVisible();
  });

  await test.step('Who signs in at one is signed in at all, and out at all long before sessions are checked again', async () => {
    const cookie = await cookieOf(request, fleet, bea);
    for (const { app } of fleet.replicas) expect(await statusAt(request, app.url, cookie)).toBe(200);
    const [first] = fleet.replicas;
    const out = await request.delete(`${first?.app.url}/api/session`, {
      headers: { cookie, origin: first?.app.url ?? '' },
    });
    expect(out.status()).toBe(204);
    const endedMs = Date.now();
    for (const { app } of fleet.replicas) {
      await expect.poll(() => statusAt(request, app.url, cookie), { intervals: [20] }).toBe(401);
    }
    // Others learn of it within a second, shown by sessions.test.ts; without being told, after a minute.
    expect(Date.now() - endedMs).toBeLessThan(10_000);
  });

  await test.step('Without the store the picture ages, with its own words, and nothing is asked; with it all goes on', async () => {
    fleet.store.pause();
    await expect(page.getByText('the servers’ shared store does not answer').first()).toBeVisible();
    await fleet.service.forgetRequests();
    await delay(3000);
    expect(await fleet.service.requests()).toEqual([]);
    expect(await operator.marksDrawn()).toBeGreaterThan(0);
    fleet.store.resume();
    const back = Date.now();
    await expect.poll(async () => (await fleet.service.requests()).length, { intervals: [50] }).toBeGreaterThan(0);
    expect(Date.now() - back).toBeLessThan(15_000);
    await expect(page.getByText('the servers’ shared store does not answer')).toHaveCount(0);
  });

  await test.step('A store that lost everything ends no session', async () => {
    fleet.store.command('FLUSHALL');
    await operator.seesPositions();
  });

  await test.step('All replicas are replaced one after the other, and no answer fails', async () => {
    const cookie = await cookieOf(request, fleet, alice);
    const statuses = new Map<number, number>();
    let isOver = false;
    const ask = async (path: string) => {
      // nginx closes the connections that are idle when its list changes; browsers ask again then, and this client does not.
      const { statusCode, body } = await undici(fleet.url + path, { headers: { cookie }, reset: true });
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
    const old = fleet.replicas;
    for (const replica of old) {
      await fleet.add();
      await fleet.drain(replica);
    }
    isOver = true;
    await traffic;
    expect([...statuses.keys()]).toEqual([200]);
    expect(fleet.replicas.filter((each) => old.includes(each))).toEqual([]);
    await operator.seesPositions();
  });

  await test.step('Of a killed replica the others take over', async () => {
    const [killed] = fleet.replicas;
    if (!killed) throw new Error('no replica');
    await fleet.kill(killed);
    await fleet.forget(killed);
    const freshWithinMs = async (url: string) => {
      const answer = await request.get(`${url}/api/live?bbox=8,46,9,47&layers=adsb&page=after`, {
        headers: { cookie: await cookieOf(request, fleet, alice) },
      });
      const { as_of, layers } = (await answer.json()) as {
        as_of: string;
        layers: { adsb: { fetched_at: string | null } };
      };
      return layers.adsb.fetched_at === null
        ? Number.POSITIVE_INFINITY
        : Date.parse(as_of) - Date.parse(layers.adsb.fetched_at);
    };
    for (const { app } of fleet.replicas) {
      await expect.poll(() => freshWithinMs(app.url)).toBeLessThan(5000);
    }
  });
});

test('A replica that is asked to stop says so, and goes on answering until nobody asks it any more', async ({
  request,
}) => {
  const metricsPort = await freePort();
  const replica = await fleet.add({ DRAIN_SECONDS: '3', METRICS_PORT: String(metricsPort) });
  const { url } = replica.app;
  const metrics = await (await request.get(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain('lookout_shared_store_reachable 1');
  expect(metrics).toMatch(/lookout_shared_store_commands_total [1-9]/);
  expect(metrics).toContain('lookout_shared_store_failures_total{problem="full"} 0');
  await fleet.forget(replica);
  const stopped = replica.app.stop();
  await expect.poll(async () => (await request.get(`${url}/readyz`)).status()).toBe(503);
  expect(await (await request.get(`${url}/readyz`)).json()).toEqual({ ready: false, missing: ['leaving'] });
  expect((await request.get(`${url}/healthz`)).status()).toBe(200);
  await stopped;
  await expect(request.get(`${url}/healthz`)).rejects.toThrow('ECONNREFUSED');
});
