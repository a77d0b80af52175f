import { dirname } from 'node:path';
import type { APIRequestContext, APIResponse } from '@playwright/test';
import { hasRedis } from '#lib/server/redis/redis-process.fixture.ts';
import { installedNginx } from '../scripts/setup/debian-packages.ts';
import { cookieOf, expectRefusal } from './driver/api-answers.ts';
import { iso, pastWindow } from './driver/past-window.ts';
import { expect, test } from './lookout-test.ts';
import { runOperator } from './running/operators-file.ts';
import { type RunningFleet, startFleet } from './running/running-fleet.ts';

test.describe.configure({ mode: 'default' });

let fleet: RunningFleet;
test.beforeAll(async ({ plainBasemap }) => {
  test.skip(!hasRedis() || installedNginx() === undefined, 'redis-server or nginx is not installed');
  fleet = await startFleet({ replicas: 2, operators: ['ada', 'ben'], settings: plainBasemap });
});
test.afterAll(() => fleet?.stop());

/** Whoever has this cookie, at one replica. */
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

test('While nobody can tell who is there, a page leads to the sign-in page, which says why, and back', async ({
  page,
  request,
}) => {
  const [ada] = fleet.operators;
  const [first, second] = fleet.replicas;
  if (!ada || !first || !second) throw new Error('no fleet');
  const [name = '', value = ''] = (await cookieOf(request, first.app, ada)).split(/=(.*)/);
  await page.context().addCookies([{ name, value, url: second.app.url }]);
  fleet.database.stop();
  await page.goto(`${second.app.url}/account`);
  await expect(page).toHaveURL(/\/sign-in\?next=%2Faccount$/);
  await expect(
    page.getByText(
      'Nobody can sign in for the moment: the servers’ shared store does not answer. Try again in a few seconds.',
    ),
  ).toBeVisible();
  fleet.database.start();
  await expect(async () => {
    await page.reload();
    await expect(page).toHaveURL(/\/account$/, { timeout: 100 });
  }).toPass();
});

test('What one replica knows of people the others know: views, audit, what was spent, a confirmation, a role', async ({
  playwright,
  request,
}) => {
  const [ada, ben] = fleet.operators;
  const [first, second] = fleet.replicas;
  if (!ada || !ben || !first || !second) throw new Error('no fleet');
  const everywhere = async (account: typeof ada): Promise<readonly [At, At]> => {
    // A context has a jar of cookies: who signs in with another's session ends it.
    const cookie = await cookieOf(await playwright.request.newContext(), fleet, account);
    return [new At(request, first.app.url, cookie), new At(request, second.app.url, cookie)];
  };
  const bens = await everywhere(ben);
  await expectRefusal(await bens[1].ask('GET', '/api/admin/audit'), 403, 'not_permitted');
  expect(await runOperator({ folder: dirname(ada.file) }, ['role', ada.name, 'admin'])).toMatchObject({ code: 0 });
  const adas = await everywhere(ada);

  await test.step('A view is saved at one, renamed at the other, and found at both; a name is taken at both', async () => {
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

  await test.step('Who showed at one who they are changes ways in at the other', async () => {
    await expectRefusal(await bens[1].ask('POST', '/api/account/passkeys/options'), 428, 'not_confirmed');
    const confirmed = await bens[0].ask('POST', '/api/account/confirmation', { password: ben.password });
    expect(confirmed.status()).toBe(204);
    expect((await (await bens[1].ask('GET', '/api/account')).json()).passkeys.confirmed).toBe(true);
  });

  await test.step('What was loaded at one is counted, and audited, at the other', async () => {
    const { start, end } = pastWindow(3);
    const path = `/api/history?bbox=8,46,8.5,46.5&layers=adsb&start=${iso(start)}&end=${iso(end)}`;
    expect(await (await bens[0].ask('GET', path)).text()).toContain('"type":"end"');
    const spent = async (at: At) => {
      const { people } = await (await at.ask('GET', '/api/admin/people')).json();
      return people.find(({ id }: { id: string }) => id === ben.name).spent_today.past;
    };
    await expect.poll(() => spent(adas[1])).toBeGreaterThan(0);
    expect(await spent(adas[0])).toBe(await spent(adas[1]));
    await expect
      .poll(async () => (await adas[1].ask('GET', '/api/admin/audit?kind=past_loaded')).json())
      .toMatchObject({
        entries: [{ operator: { id: ben.name } }],
      });
    await expect.poll(async () => (await adas[0].audited()).join()).toBe((await adas[1].audited()).join());
  });

  await test.step('While the database is lost nothing of people is changed, and no operator signs in', async () => {
    fleet.database.stop();
    const refused = await bens[0].ask('POST', '/api/views', { name: 'Apron', query: '?view=47,8,9' });
    await expectRefusal(refused, 503, 'shared_store_failed');
    const guess = await request.post(`${second.app.url}/api/session`, {
      data: { name: ben.name, password: ben.password },
      headers: { origin: second.app.url },
    });
    await expectRefusal(guess, 503, 'shared_store_failed');
    fleet.database.start();
    await expect.poll(async () => (await bens[0].ask('PUT', '/api/views/start', { id: null })).status()).toBe(204);
  });

  await test.step('A flush of Redis and a replica that is new take no session, view or record', async () => {
    const before = await adas[0].audited();
    fleet.store.command('FLUSHALL');
    const third = await fleet.add();
    const cookie = await cookieOf(await playwright.request.newContext(), fleet, ada);
    const late = new At(request, third.app.url, cookie);
    expect(await late.audited()).toEqual(expect.arrayContaining([...before]));
    for (const at of [late, adas[0], bens[0]]) expect(await at.views()).toMatchObject([{ name: 'North gate' }]);
  });
});
