import type { APIRequestContext, APIResponse } from '@playwright/test';
import { cookieOf, expectRefusal } from './driver/api-answers.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { iso, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { runOperator } from './running/operators.ts';
import { canStartServers, type RunningServers, startServers } from './running/running-servers.ts';

test.describe.configure({ mode: 'default' });

let all: RunningServers;
test.beforeAll(async ({ plainBasemap }) => {
  test.skip(!canStartServers(), 'PostgreSQL or nginx is not installed');
  all = await startServers({ servers: 2, operators: ['ada', 'ben'], settings: plainBasemap });
});
test.afterAll(() => all?.stop());

class At {
  readonly #request: APIRequestContext;
  readonly #url: string;
  readonly #cookie: string;

  constructor(request: APIRequestContext, url: string, cookie: string) {
    this.#request = request;
    this.#url = url;
    this.#cookie = cookie;
  }

  ask(method: string, path: string, data?: unknown): Promise<APIResponse> {
    const headers = { cookie: this.#cookie, origin: this.#url };
    return this.#request.fetch(`${this.#url}${path}`, { method, headers, ...(data === undefined ? {} : { data }) });
  }

  async views(): Promise<readonly { readonly id: string; readonly name: string }[]> {
    return (await (await this.ask('GET', '/api/views')).json()).views;
  }

  async audited(): Promise<readonly string[]> {
    const { entries } = await (await this.ask('GET', '/api/admin/audit')).json();
    return entries.map(({ id }: { id: string }) => id);
  }
}

test('While PostgreSQL is lost a page leads to the sign-in page, which gives the reason, and back', async ({
  page,
  request,
}) => {
  const [ada] = all.operators;
  const [first, second] = all.servers;
  if (!ada || !first || !second) throw new Error('no servers');
  const [name = '', value = ''] = (await cookieOf(request, first, ada)).split(/=(.*)/);
  await page.context().addCookies([{ name, value, url: second.url }]);
  all.database.stop();
  await page.goto(`${second.url}/account`);
  await expect(page).toHaveURL(/\/sign-in\?next=%2Faccount$/);
  await expect(
    page.getByText(
      'Sign-in is not available at the moment: Lookout’s database does not answer. Try again in a few seconds.',
    ),
  ).toBeVisible();
  all.database.start();
  await expect(async () => {
    await page.reload();
    await expect(page).toHaveURL(/\/account$/, { timeout: 100 });
  }).toPass();
});

test('All servers have the same views, audit, spent requests, confirmations and roles', async ({
  playwright,
  request,
}) => {
  const [ada, ben] = all.operators;
  const [first, second] = all.servers;
  if (!ada || !ben || !first || !second) throw new Error('no servers');
  const everywhere = async (account: typeof ada): Promise<readonly [At, At]> => {
    // A sign-in ends the session of its cookie jar.
    const cookie = await cookieOf(await playwright.request.newContext(), all, account);
    return [new At(request, first.url, cookie), new At(request, second.url, cookie)];
  };
  const bens = await everywhere(ben);
  await expectRefusal(await bens[1].ask('GET', '/api/admin/audit'), 403, 'not_permitted');
  expect(await runOperator(ada.at, ['role', ada.name, 'admin'])).toMatchObject({ code: 0 });
  const adas = await everywhere(ada);

  await test.step('A view that one server saves can be renamed at the other, and its name is taken at both', async () => {
    const made = await bens[0].ask('POST', '/api/views', { name: 'Gate', query: '?view=47,8,9', shared: true });
    expect(made.status()).toBe(201);
    const { id } = await made.json();
    expect(await bens[1].views()).toMatchObject([{ id, name: 'Gate' }]);
    expect(await adas[1].views()).toMatchObject([{ id, name: 'Gate', mine: false }]);
    await expectRefusal(
      await bens[1].ask('POST', '/api/views', { name: 'Gate', query: '?view=47,8,9' }),
      409,
      'name_taken',
    );
    expect((await bens[1].ask('PATCH', `/api/views/${id}`, { name: 'North gate' })).status()).toBe(200);
    for (const at of bens) expect(await at.views()).toMatchObject([{ id, name: 'North gate' }]);
  });

  await test.step('A confirmation at one server lets the other change passkeys', async () => {
    await expectRefusal(await bens[1].ask('POST', '/api/account/passkeys/options'), 428, 'not_confirmed');
    const confirmed = await bens[0].ask('POST', '/api/account/confirmation', { password: ben.password });
    expect(confirmed.status()).toBe(204);
    expect((await (await bens[1].ask('GET', '/api/account')).json()).passkeys.confirmed).toBe(true);
  });

  await test.step('A load through one server is counted and audited at the other', async () => {
    const { start, end } = pastWindow(3);
    const path = `/api/history?bbox=8,46,8.5,46.5&layers=adsb&start=${iso(start)}&end=${iso(end)}`;
    expect(await (await bens[0].ask('GET', path)).text()).toContain('"type":"end"');
    const spent = async (at: At) => {
      const { people } = await (await at.ask('GET', '/api/admin/people')).json();
      return people.find(({ id }: { id: string }) => id === ben.name).spent_today.past;
    };
    await expect.poll(() => spent(adas[1])).toBeGreaterThan(0);
    // The writer writes its counts once a second.
    await expect(async () => expect(await spent(adas[0])).toBe(await spent(adas[1]))).toPass();
    await expect
      .poll(async () => (await adas[1].ask('GET', '/api/admin/audit?kind=past_loaded')).json())
      .toMatchObject({
        entries: [{ operator: { id: ben.name } }],
      });
    await expect.poll(async () => (await adas[0].audited()).join()).toBe((await adas[1].audited()).join());
  });

  await test.step('While PostgreSQL is lost no view is saved, and no operator signs in', async () => {
    all.database.stop();
    const refused = await bens[0].ask('POST', '/api/views', { name: 'Apron', query: '?view=47,8,9' });
    await expectRefusal(refused, 503, 'database_lost');
    const guess = await request.post(`${second.url}/api/session`, {
      data: { name: ben.name, password: ben.password },
      headers: { origin: second.url },
    });
    await expectRefusal(guess, 503, 'database_lost');
    all.database.start();
    await expect.poll(async () => (await bens[0].ask('PUT', '/api/views/start', { id: null })).status()).toBe(204);
  });

  await test.step('A server that was replaced has every session, view and audit entry', async () => {
    const before = await adas[0].audited();
    await all.stopServer(second);
    await all.start(second);
    expect(await adas[1].audited()).toEqual(expect.arrayContaining([...before]));
    for (const at of [adas[1], adas[0], bens[1]]) expect(await at.views()).toMatchObject([{ name: 'North gate' }]);
  });
});

/** Longer than a takeover. */
const SLOW = { kind: 'slow', delay_ms: 3000, operation: 'history_adsb' };
const UNDER_WAY = 2;

test('A load continues after its writer was killed, and pays no part twice but those in flight', async ({ page }) => {
  await all.service.forgetRequests();
  const { writer } = await all.turn();
  const reader = all.servers.find((each) => each !== writer);
  const [alice] = all.operators;
  if (!reader || !alice) throw new Error('no reader');
  const signIn = new SignInDriver(page, reader.url);
  await signIn.opens('/');
  await signIn.submits(alice);
  const dock = new ReplayDock(page);
  const operator = new LookoutDriver(page, reader.url);
  await operator.seesPositions();
  await dock.asksFirst();
  await operator.goesTo(replayPath(pastWindow(30, 20)));
  await all.service.breakWith(SLOW);
  await dock.loads();
  const asked = async () => (await all.service.requests()).filter(({ operation }) => operation === 'history_adsb');
  await expect.poll(async () => (await asked()).length).toBeGreaterThan(4);
  const made = async () => Number(/(\d+) requests? made/.exec(await dock.loading.innerText())?.[1]);
  await expect.poll(made).toBeGreaterThan(0);
  const madeBefore = await made();
  let isRefused = false;
  const refused = page.locator('[data-loading=refused]').waitFor({ timeout: 0 });
  refused.then(
    () => (isRefused = true),
    () => undefined,
  );
  await all.kill(writer);
  // `mend` keeps the recorded requests.
  await all.service.mend();
  await dock.isLoaded();
  expect(new Set((await dock.band('Aircraft')).map(({ state }) => state))).toEqual(new Set(['complete']));
  expect(isRefused, 'the page reports no failure').toBe(false);
  const requests = await asked();
  const parts = new Set(requests.map(({ query }) => query));
  expect(requests.length - parts.size).toBeLessThanOrEqual(UNDER_WAY);
  // The page does not know of lost answers, nor of later requests of the next writer.
  const madeInAll = await made();
  expect(madeInAll).toBeGreaterThan(madeBefore);
  expect(madeInAll).toBeLessThanOrEqual(requests.length);
});
