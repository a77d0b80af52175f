import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BrowserAtProvider } from '#testing/browser-at-provider.ts';
import { freePort } from '#testing/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '#testing/identity-provider.ts';
import { cookieOf, expectRefusal } from './driver/api-answers.ts';
import { ProviderDriver } from './driver/provider-driver.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

interface SsoLookout {
  readonly lookout: RunningLookout;
  readonly provider: IdentityProvider;
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
}

const ssoLookout = sharedInFile(async ({ plainBasemap }) => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-sso-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const people: SsoLookout['people'] = new Map([
    ['ada', { name: 'Ada L.', groups: ['tower', 'chiefs'] }],
    ['bob', { name: 'Bob', email: 'bob@example.org', email_verified: true }],
    ['nil', { name: null, email: '', email_verified: 'true', groups: [null, 'tower'] }],
    [
      'max',
      {
        name: 'Max',
        _claim_names: { groups: 'src1' },
        _claim_sources: { src1: { endpoint: 'https://graph.example' } },
      },
    ],
    ['eve', { name: 'Eve', email: 'bob@example.org', email_verified: false, groups: ['guests'] }],
  ]);
  const provider = await startIdentityProvider({ people, redirectUri: `${url}/sign-in/oidc/callback` });
  const secretFile = join(folder, 'client-secret');
  writeFileSync(secretFile, `${provider.clientSecret}\n`);
  const settings = {
    ...plainBasemap,
    PUBLIC_URL: url,
    SESSION_SECRET: 's'.repeat(32),
    DATA_DIR: folder,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET_FILE: secretFile,
    OIDC_ALLOW: 'tower, bob@example.org',
    OIDC_ADMIN: 'chiefs',
  };
  const lookout = await startLookout({ operators: ['by password'], settings: { ...settings, PORT: String(port) } });
  return {
    lookout,
    provider,
    people,
    dataDir: folder,
    settings,
    async stop() {
      await lookout.stop();
      await provider.stop();
      rmSync(folder, { recursive: true });
    },
  };
});
const test = lookoutTest.extend<{ signIn: SignInDriver; atProvider: ProviderDriver; sso: SsoLookout }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  sso: ({}, use) => use(ssoLookout()),
  signIn: ({ page, sso }, use) => use(new SignInDriver(page, sso.lookout.url)),
  atProvider: ({ page, sso }, use) => use(new ProviderDriver(page, sso.provider.issuer)),
});

test.describe.configure({ mode: 'default' });

/** A navigation from another site. */
const fromProvider = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

function get({ lookout }: SsoLookout, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(new URL(path, lookout.url), { headers, redirect: 'manual' });
}

/** @returns where the provider sends the browser, and the cookie of the beginning */
async function cameBack(sso: SsoLookout, login: string, next = '/') {
  const begun = await get(sso, `/sign-in/oidc?${new URLSearchParams({ next })}`);
  const address = new URL(begun.headers.get('location') ?? '');
  const back = await new BrowserAtProvider().signIn(address, login, sso.lookout.url);
  return { path: `${back.pathname}${back.search}`, cookie: cookiesOf(begun) };
}

async function signedIn(sso: SsoLookout, login: string, next?: string) {
  const { path, cookie } = await cameBack(sso, login, next);
  const answer = await get(sso, path, { ...fromProvider, cookie });
  return {
    location: answer.headers.get('location'),
    cookie: cookiesOf(answer),
    setCookie: answer.headers.getSetCookie(),
  };
}

async function whoIs(sso: SsoLookout, cookie: string): Promise<unknown> {
  return (await get(sso, '/api/session', { cookie })).json();
}

test('A shared link opens after signing in at the provider; a person who is not allowed sees that, and signs in as another', async ({
  signIn,
  atProvider,
  page,
  sso,
}) => {
  const host = new URL(sso.provider.issuer).host;
  await signIn.opens('/?view=47.2,8.6,8&layers=rid');
  await signIn.seesForm();
  await page.getByRole('link', { name: `Sign in with ${host}` }).click();
  await atProvider.signsIn('eve');
  await signIn.seesForm();
  await expect(page.getByTestId('single-sign-on').getByRole('alert')).toHaveText(
    `Eve at ${host} is not allowed to use Lookout. Ask an administrator of Lookout for access, or sign in as another user.`,
  );
  await page.getByRole('link', { name: 'Sign in as another user' }).click();
  await atProvider.refuses();
  await expect(page.getByTestId('single-sign-on').getByRole('alert')).toHaveText(
    `Signing in at ${host} was not completed. You are not signed in.`,
  );
  await page.getByRole('link', { name: 'Sign in as another user' }).click();
  await atProvider.signsIn('ada');
  const operator = signIn.asOperator();
  await operator.seesPositions();
  expect(operator.viewInAddress()).toEqual({ lat: 47.2, lon: 8.6, zoom: 8 });
  await expect(operator.state('Aircraft')).toHaveText('Aircraft: layer is off, not requested');
  expect(await (await page.request.get(`${sso.lookout.url}/api/session`)).json()).toEqual({
    operator: 'Ada L.',
    role: 'admin',
    sign_in_required: true,
  });
  await signIn.signsOut('Ada L.');
  await signIn.seesForm();
  expect((await page.request.get(`${sso.lookout.url}/api/session`)).status()).toBe(401);
  // The provider has its own sign-out.
  await page.getByRole('link', { name: 'Sign out at the provider' }).click();
  await page.waitForURL((url) => url.origin === sso.provider.issuer);
  await expect(page.getByText(/sign-out from/i)).toBeVisible();
});

test('Issuer and subject identify an operator, whatever their name; a password still works too', async ({
  sso,
  request,
}) => {
  const before = await signedIn(sso, 'bob');
  expect(await whoIs(sso, before.cookie)).toEqual({ operator: 'Bob', role: 'operator', sign_in_required: true });
  const claims = sso.people.get('bob');
  sso.people.set('bob', { ...claims, name: 'by password' });
  const after = await signedIn(sso, 'bob');
  sso.people.set('bob', claims ?? {});
  expect(await whoIs(sso, after.cookie)).toMatchObject({ operator: 'by password', role: 'operator' });
  const [account] = sso.lookout.operators;
  if (!account) throw new Error('no operator of the file');
  await cookieOf(request, sso.lookout, account);
  const database = new DatabaseSync(join(sso.dataDir, 'lookout.sqlite'), { readOnly: true });
  const rows = database
    .prepare(
      `select distinct operator, person ->> 'issuer' as issuer, person ->> 'subject' as subject from session
       where person ->> 'name' in (?, ?) or source = ? order by operator`,
    )
    .all('Bob', 'by password', 'password');
  database.close();
  expect(rows).toEqual([
    { operator: 'by password', issuer: null, subject: null },
    { operator: expect.stringMatching(/^oidc:[\w-]{22}$/), issuer: sso.provider.issuer, subject: 'bob' },
  ]);
});

test('The cookie of a beginning is for ten minutes, for this host, and ends with it; each sign-in opens a new session', async ({
  sso,
}) => {
  const { path, cookie } = await cameBack(sso, 'bob');
  const begun = await get(sso, '/sign-in/oidc');
  expect(begun.status).toBe(303);
  expect(begun.headers.get('cache-control')).toBe('no-store');
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^lookout-login=[^;]+; Path=\/; Expires=[^;]+; Max-Age=600; HttpOnly; SameSite=lax$/i),
  ]);
  const first = await get(sso, path, { ...fromProvider, cookie });
  const session = first.headers.getSetCookie().find((text) => text.startsWith('lookout='));
  expect(session).toMatch(/; HttpOnly/i);
  expect(session).toMatch(/; SameSite=lax/i);
  expect(session).not.toMatch(/Max-Age|Expires/i);
  expect(first.headers.getSetCookie().find((text) => text.startsWith('lookout-login='))).toMatch(/Max-Age=0/);
  expect(first.headers.get('referrer-policy')).toBe('no-referrer');
  const again = await cameBack(sso, 'bob');
  const second = await get(sso, again.path, { cookie: `${cookiesOf(first)}; ${again.cookie}` });
  expect((await get(sso, '/api/session', { cookie: cookiesOf(first) })).status).toBe(401);
  expect((await get(sso, '/api/session', { cookie: cookiesOf(second) })).status).toBe(200);
});

test('A stranger’s link or callback opened in another browser signs no person in, and leaves its session', async ({
  sso,
}) => {
  const led = await get(sso, '/sign-in/oidc?next=/?view=1,2,3', fromProvider);
  expect(led.headers.get('location')).toBe('/sign-in?next=%2F%3Fview%3D1%2C2%2C3');
  expect(led.headers.getSetCookie()).toEqual([]);
  const strangers = await cameBack(sso, 'ada');
  const refused = '/sign-in?problem=expired&next=%2F';
  const blank = await get(sso, strangers.path, fromProvider);
  expect(blank.headers.get('location')).toBe(refused);
  expect(blank.headers.getSetCookie()).toEqual([]);
  const own = await signedIn(sso, 'bob');
  const victim = await get(sso, strangers.path, { ...fromProvider, cookie: own.cookie });
  expect(victim.headers.getSetCookie()).toEqual([]);
  expect(await whoIs(sso, own.cookie)).toMatchObject({ operator: 'Bob' });
  // Even with an own beginning, which still ends.
  const beginning = await cameBack(sso, 'bob');
  const crossed = await get(sso, strangers.path, { ...fromProvider, cookie: beginning.cookie });
  expect(crossed.headers.get('location')).toBe(refused);
  const ended = await get(sso, beginning.path, { ...fromProvider, cookie: beginning.cookie });
  expect(await whoIs(sso, cookiesOf(ended))).toMatchObject({ operator: 'Bob' });
});

test('A way back is gone once, leads to our own pages only, and is refused in words of our own', async ({ sso }) => {
  const { path, cookie } = await cameBack(sso, 'bob', '/?view=1,2,3');
  const answers = await Promise.all([get(sso, path, { cookie }), get(sso, path, { cookie })]);
  const locations = answers.map((answer) => answer.headers.get('location')).sort();
  expect(locations).toEqual(['/?view=1,2,3', '/sign-in?problem=expired&next=%2F%3Fview%3D1%2C2%2C3']);
  for (const next of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    '/\t/evil.example',
    'javascript:alert(1)',
  ])
    expect((await signedIn(sso, 'bob', next)).location).toBe('/');
  for (const query of [
    'state=x&code=y',
    `state=${'x'.repeat(7000)}`,
    'error=access_denied&error_description=<b>x</b>',
    '',
    '%ff',
  ])
    expect((await get(sso, `/sign-in/oidc/callback?${query}`)).headers.get('location')).toBe(
      '/sign-in?problem=expired&next=%2F',
    );
  expect((await get(sso, `/sign-in/oidc/callback?state=${'x'.repeat(20_000)}`)).status).toBe(431);
  const page = await (await get(sso, '/sign-in?problem=<script>alert(1)</script>&next=//evil.example')).text();
  expect(page).not.toContain('<script>alert');
  const begun = await get(sso, '/sign-in/oidc');
  const asked = new URL(begun.headers.get('location') ?? '').searchParams;
  const reported = new URLSearchParams({
    error: 'server_error<script>',
    error_description: '<script>alert(1)</script>',
    state: asked.get('state') ?? '',
    iss: sso.provider.issuer,
  });
  const answer = await get(sso, `/sign-in/oidc/callback?${reported}`, { cookie: cookiesOf(begun) });
  expect(answer.headers.get('location')).toBe('/sign-in?problem=provider_error&next=%2F');
  expect(await answer.text()).toBe('');
});

test('Parameters that are unknown or repeated are refused, and so are other methods', async ({ request, sso }) => {
  const { url } = sso.lookout;
  for (const query of ['next=/&next=/', 'colour=red', 'as=admin'])
    await expectRefusal(await request.get(`${url}/sign-in/oidc?${query}`, { maxRedirects: 0 }), 400, 'bad_query');
  expect((await request.post(`${url}/sign-in/oidc/callback`, { headers: { origin: url } })).status()).toBe(405);
});

test('A provider that is not there stops nothing: the page says so, passwords work; sessions of other terms have ended', async ({
  sso,
  request,
}, testInfo) => {
  const session = await signedIn(sso, 'bob');
  const folder = testInfo.outputPath();
  mkdirSync(folder, { recursive: true });
  const sessions = new DatabaseSync(join(sso.dataDir, 'lookout.sqlite'), { readOnly: true });
  sessions.prepare('vacuum into ?').run(join(folder, 'lookout.sqlite'));
  sessions.close();
  const lonely = await startLookout({
    operators: ['by password'],
    settings: { ...sso.settings, DATA_DIR: folder, OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` },
  });
  try {
    const page = await (await fetch(`${lonely.url}/sign-in`)).text();
    expect(page).toMatch(
      /127\.0\.0\.1:\d+(<!-- -->)? cannot be reached at the moment\. Try again later(<!-- -->)?, or use a password/,
    );
    const begun = await fetch(`${lonely.url}/sign-in/oidc?next=/%3Fview%3D1,2,3`, { redirect: 'manual' });
    expect(begun.headers.get('location')).toBe('/sign-in?problem=unreachable&next=%2F%3Fview%3D1%2C2%2C3');
    const [account] = lonely.operators;
    if (!account) throw new Error('no operator of the file');
    await cookieOf(request, lonely, account);
    expect((await fetch(`${lonely.url}/api/session`, { headers: { cookie: session.cookie } })).status).toBe(401);
    await expect.poll(() => lonely.app.stderr()).toContain('the provider of single sign-on cannot be used');
  } finally {
    await lonely.stop();
  }
});

test('Empty claims stop no sign-in and are named in the log; groups by reference are named on the page', async ({
  sso,
}) => {
  const { cookie } = await signedIn(sso, 'nil');
  expect(await whoIs(sso, cookie)).toEqual({ operator: 'nil', role: 'operator', sign_in_required: true });
  await expect.poll(() => sso.lookout.app.stderr()).toContain('"left_out":["name (empty)","email (empty)",');
  const refused = await signedIn(sso, 'max');
  expect(refused.location).toBe('/sign-in?problem=groups_not_sent&next=%2F');
  const page = await (await get(sso, refused.location ?? '', { cookie: refused.cookie })).text();
  expect(page).toContain('Max is in so many groups that');
});

test('Sign-ins are audited and logged, without codes, tokens or the secret', async ({ sso }) => {
  await signedIn(sso, 'ada');
  const { path, cookie } = await cameBack(sso, 'eve');
  await get(sso, path, { cookie });
  const audited = () => {
    const database = new DatabaseSync(join(sso.dataDir, 'lookout.sqlite'), { readOnly: true });
    const rows = database.prepare('select kind, operator, name, address, details from audit_event').all();
    database.close();
    return rows;
  };
  await expect.poll(audited).toContainEqual({
    kind: 'sign_in_refused',
    operator: expect.stringMatching(/^oidc:/),
    name: 'Eve',
    address: '127.0.0.1',
    details: expect.stringContaining('"reason":"not_allowed"'),
  });
  await expect.poll(audited).toContainEqual(
    expect.objectContaining({
      kind: 'signed_in',
      name: 'Ada L.',
      details: expect.stringContaining('single-sign-on'),
    }),
  );
  await expect.poll(() => sso.lookout.app.stderr()).toContain('"problem":"not_allowed"');
  const log = sso.lookout.app.stderr();
  for (const secret of [sso.provider.clientSecret, new URLSearchParams(path.split('?')[1]).get('code') ?? '-', 'eyJ'])
    expect(log).not.toContain(secret);
});
