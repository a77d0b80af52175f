import { randomBytes } from 'node:crypto';
import { cookieOf, expectRefusal } from './driver/api-answers.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import { addOperator, changePassword, type OperatorAccount } from './running/operators.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

const guardedLookout = sharedInFile(({ plainBasemap }) =>
  startLookout({ operators: ['tower@airfield'], settings: plainBasemap }),
);
const test = lookoutTest.extend<{ signIn: SignInDriver; account: OperatorAccount; guarded: RunningLookout }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  guarded: ({}, use) => use(guardedLookout()),
  account: ({ guarded }, use) => use(guarded.operators[0] as OperatorAccount),
  signIn: ({ page, guarded }, use) => use(new SignInDriver(page, guarded.url)),
});

test.describe.configure({ mode: 'default' });

const live = '/api/live?bbox=5,45,11,48&layers=rid,adsb';

test.describe('Signing in', () => {
  test('A link opened without a session is restored after signing in', async ({ signIn, account }) => {
    await signIn.opens('/?view=47.2,8.6,8&layers=rid');
    await signIn.seesForm();
    await signIn.submits({ ...account, password: 'not the password at all' });
    await expect(signIn.refusal).toHaveText('This name and password are not accepted.');
    await signIn.submits(account);
    const operator = signIn.asOperator();
    await operator.seesPositions();
    expect(operator.viewInAddress()).toEqual({ lat: 47.2, lon: 8.6, zoom: 8 });
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: layer is off, not requested');
    await expect(operator.button(`Account of ${account.name}`)).toBeVisible();
  });

  test('A form sent before the page’s code has arrived is sent when it arrives', async ({ signIn, account, page }) => {
    const coming = Promise.withResolvers<void>();
    await page.route('**/_next/static/**/*.js', async (route) => {
      await coming.promise;
      await route.continue();
    });
    await signIn.opens('/');
    await signIn.seesForm();
    await page.getByLabel('Name').fill(account.name);
    await page.getByLabel('Password').fill('not the password at all');
    await page.keyboard.press('Enter');
    coming.resolve();
    await expect(signIn.refusal).toHaveText('This name and password are not accepted.');
    expect(new URL(page.url()).search).toBe('?next=%2F');
    await signIn.submits(account);
    await signIn.asOperator().seesPositions();
  });

  test('An unknown name is answered like a wrong password', async ({ request, guarded, account }) => {
    const bodies = [];
    for (const name of ['an-unknown-name', account.name]) {
      const answer = await request.post(`${guarded.url}/api/session`, {
        data: { name, password: 'not the password at all' },
        headers: { origin: guarded.url },
      });
      await expectRefusal(answer, 401, 'sign_in_refused');
      bodies.push(((await answer.json()) as { error: unknown }).error);
    }
    expect(bodies[0]).toEqual(bodies[1]);
  });

  test('Repeated failures are slowed down', async ({ request, guarded }) => {
    const attempt = () =>
      request.post(`${guarded.url}/api/session`, {
        data: { name: 'guessed', password: randomBytes(12).toString('hex') },
        headers: { origin: guarded.url },
      });
    let answer = await attempt();
    for (let more = 0; more < 6 && answer.status() === 401; more++) answer = await attempt();
    await expectRefusal(answer, 429, 'too_many_attempts');
    expect(Number(answer.headers()['retry-after'])).toBeGreaterThanOrEqual(1);
  });
});

test.describe('Without a session', () => {
  test('no route answers', async ({ request, guarded }) => {
    await expectRefusal(await request.get(`${guarded.url}${live}`), 401, 'not_signed_in');
    await expectRefusal(await request.get(`${guarded.url}/api/session`), 401, 'not_signed_in');
    await expectRefusal(await request.get(`${guarded.url}/api/anything`), 401, 'not_signed_in');
    const page = await request.get(`${guarded.url}/?view=1,2,3`, { maxRedirects: 0 });
    expect(page.status()).toBe(307);
    expect(page.headers().location).toBe('/sign-in?next=%2F%3Fview%3D1%252C2%252C3');
  });

  test('a forged header that claims the middleware has run gives no access', async ({ request, guarded }) => {
    for (const value of ['middleware', 'proxy', 'src/proxy', Array(5).fill('proxy').join(':')]) {
      const headers = { 'x-middleware-subrequest': value };
      await expectRefusal(await request.get(`${guarded.url}${live}`, { headers }), 401, 'not_signed_in');
      expect((await request.get(`${guarded.url}/`, { headers, maxRedirects: 0 })).status()).toBe(307);
    }
  });

  test('no header about the sender gives access', async ({ request, guarded }) => {
    const forged = [
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-host': 'localhost' },
      { 'x-lookout-peer': '127.0.0.1' },
      { host: 'localhost' },
    ];
    for (const headers of forged) {
      await expectRefusal(await request.get(`${guarded.url}${live}`, { headers }), 401, 'not_signed_in');
    }
  });

  test('a made-up cookie gives no access', async ({ request, guarded }) => {
    for (const value of ['x', 'Fe26.2*1*aa*bb*cc*dd*ee*ff', encodeURIComponent('{"id":"1"}')]) {
      await expectRefusal(
        await request.get(`${guarded.url}${live}`, { headers: { cookie: `lookout=${value}` } }),
        401,
        'not_signed_in',
      );
    }
  });
});

test.describe('With a session', () => {
  test('signing out ends it for good: the page shows the sign-in form, and the old cookie is refused', async ({
    signIn,
    account,
    guarded,
    playwright,
  }) => {
    await signIn.opens('/');
    await signIn.submits(account);
    await signIn.asOperator().seesPositions();
    const [cookie] = await signIn.page.context().cookies();
    expect(cookie).toMatchObject({ name: 'lookout', httpOnly: true, sameSite: 'Lax', path: '/' });
    const thief = await playwright.request.newContext({ extraHTTPHeaders: { cookie: `lookout=${cookie?.value}` } });
    expect((await thief.get(`${guarded.url}${live}`)).status()).toBe(200);
    await signIn.signsOut(account.name);
    await signIn.seesForm();
    await expectRefusal(await thief.get(`${guarded.url}${live}`), 401, 'not_signed_in');
    await thief.dispose();
  });

  test('each sign-in opens a new session, and ends the one that the browser had before', async ({
    request,
    guarded,
    account,
  }) => {
    const first = await cookieOf(request, guarded, account);
    const own = await request.get(`${guarded.url}/api/session`, { headers: { cookie: first } });
    expect(await own.json()).toEqual({ operator: account.name, role: 'operator', sign_in_required: true });
    // The request context sends the first cookie along.
    const second = await cookieOf(request, guarded, account);
    expect(second).not.toBe(first);
    await expectRefusal(
      await request.get(`${guarded.url}${live}`, { headers: { cookie: first } }),
      401,
      'not_signed_in',
    );
    const address = `${guarded.url}/api/session`;
    const headers = { cookie: second, origin: guarded.url };
    expect((await request.get(address, { headers })).status()).toBe(200);
    expect((await request.delete(address, { headers })).status()).toBe(204);
    await expectRefusal(await request.get(address, { headers }), 401, 'not_signed_in');
  });

  test('a new password ends the sessions of the old one at once', async ({ request, guarded: lookout }) => {
    const before = await addOperator({ DATA_DIR: lookout.dataDir }, 'shift lead');
    const cookie = await cookieOf(request, lookout, before);
    const session = () => request.get(`${lookout.url}/api/session`, { headers: { cookie } });
    expect((await session()).status()).toBe(200);
    const after = await changePassword(before);
    await expectRefusal(await session(), 401, 'not_signed_in');
    const retried = await request.post(`${lookout.url}/api/session`, {
      data: { name: before.name, password: before.password },
      headers: { origin: lookout.url },
    });
    await expectRefusal(retried, 401, 'sign_in_refused');
    await cookieOf(request, lookout, after);
  });

  test('an ended session is reported over the map, and the positions age', async ({ signIn, account }) => {
    await signIn.opens('/');
    await signIn.submits(account);
    const operator = signIn.asOperator();
    await operator.seesPositions();
    await signIn.page.context().clearCookies();
    await expect(operator.notice('signed-out')).toContainText('You are signed out.');
    expect(await operator.marksDrawn()).toBeGreaterThan(0);
    await expect(operator.state('Aircraft')).not.toHaveText(/up to date/);
  });

  test('a request from another site changes nothing', async ({ request, guarded, account }) => {
    const forged = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', origin: guarded.url },
      { 'sec-fetch-site': 'same-site', origin: guarded.url },
      {},
    ];
    const data = { name: account.name, password: account.password };
    for (const headers of forged) {
      const signedIn = await request.post(`${guarded.url}/api/session`, { data, headers });
      await expectRefusal(signedIn, 403, 'cross_site');
      expect(signedIn.headers()['set-cookie']).toBeUndefined();
    }
    const cookie = await cookieOf(request, guarded, account);
    for (const headers of forged) {
      await expectRefusal(
        await request.delete(`${guarded.url}/api/session`, { headers: { ...headers, cookie } }),
        403,
        'cross_site',
      );
    }
    expect((await request.get(`${guarded.url}${live}`, { headers: { cookie } })).status()).toBe(200);
  });

  test('unknown, repeated and invalid parameters are refused', async ({ request, guarded, account }) => {
    const cookie = await cookieOf(request, guarded, account);
    const queries = [
      'bbox=5,45,11,48&layers=rid&colour=red',
      'bbox=5,45,11,48&bbox=5,45,11,48&layers=rid',
      'layers=rid',
      'bbox=NaN,45,11,48&layers=rid',
      'bbox=5,45,11,1e308&layers=rid',
      'bbox=5,45,5,45&layers=rid',
      'bbox=5,45,11,48&layers=boats',
      `bbox=5,45,11,48&layers=rid&${'x'.repeat(10_000)}`,
    ];
    for (const query of queries) {
      await expectRefusal(
        await request.get(`${guarded.url}/api/live?${query}`, { headers: { cookie } }),
        400,
        'bad_query',
      );
    }
    await expectRefusal(await request.get(`${guarded.url}/api/none`, { headers: { cookie } }), 404, 'not_found');
  });
});
