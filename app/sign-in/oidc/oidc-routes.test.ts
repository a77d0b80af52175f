import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProviderSignIn } from '#components/sign-in/provider-sign-in.tsx';
import { signInState, signInView } from '#lib/server/routes/sign-in-view.ts';
import { ask, cookieOf, expectRefusal } from '#testing/api-requests.ts';
import { BrowserAtProvider } from '#testing/browser-at-provider.ts';
import { freePort } from '#testing/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '#testing/identity-provider.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';

const people = new Map<string, Readonly<Record<string, unknown>>>([
  ['ada', { name: 'Ada L.', groups: ['tower', 'chiefs'] }],
  ['bob', { name: 'Bob', email: 'bob@example.org', email_verified: true }],
  ['nil', { name: null, email: '', email_verified: 'true', groups: [null, 'tower'] }],
  [
    'max',
    { name: 'Max', _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } },
  ],
  ['eve', { name: 'Eve', email: 'bob@example.org', email_verified: false, groups: ['guests'] }],
]);

let folder: string;
let provider: IdentityProvider;
let settings: Readonly<Record<string, string>>;
let lookout: LookoutHere;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-sso-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  provider = await startIdentityProvider({ people, redirectUri: `${url}/sign-in/oidc/callback` });
  const secretFile = join(folder, 'client-secret');
  writeFileSync(secretFile, `${provider.clientSecret}\n`);
  settings = {
    PORT: String(port),
    PUBLIC_URL: url,
    SESSION_SECRET: 's'.repeat(32),
    DATA_DIR: folder,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET_FILE: secretFile,
    OIDC_ALLOW: 'tower, bob@example.org',
    OIDC_ADMIN: 'chiefs',
  };
  lookout = await startLookoutHere({ operators: ['by password'], settings });
});
afterAll(async () => {
  await lookout.stop();
  await provider.stop();
  rmSync(folder, { recursive: true });
});

/** A navigation from another site. */
const fromProvider = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(new URL(path, lookout.url), { headers, redirect: 'manual' });
}

/** @returns where the provider sends the browser, and the cookie of the beginning */
async function cameBack(login: string, next = '/') {
  const begun = await get(`/sign-in/oidc?${new URLSearchParams({ next })}`);
  const address = new URL(begun.headers.get('location') ?? '');
  const back = await new BrowserAtProvider().signIn(address, login, lookout.url);
  return { path: `${back.pathname}${back.search}`, cookie: cookiesOf(begun) };
}

async function signedIn(login: string, next?: string) {
  const { path, cookie } = await cameBack(login, next);
  const answer = await get(path, { ...fromProvider, cookie });
  return {
    location: answer.headers.get('location'),
    cookie: cookiesOf(answer),
    setCookie: answer.headers.getSetCookie(),
  };
}

async function whoIs(cookie: string): Promise<unknown> {
  return (await get('/api/session', { cookie })).json();
}

/** The provider, as the sign-in page shows it. */
async function pageText(path: string, cookies = ''): Promise<string> {
  const { host, searchParams } = new URL(path, lookout.url);
  const state = await signInState({ cookies, host }, searchParams);
  const problem = new URL(state?.target ?? '', lookout.url).searchParams.get('problem') ?? undefined;
  const view = await signInView(cookies, host, problem);
  if (!view?.provider) throw new Error('the page has no provider');
  const { provider, hasPasswords } = view;
  return renderToStaticMarkup(createElement(ProviderSignIn, { ...provider, hasPasswords, problem: view.problem }));
}

test('Issuer and subject identify an operator, whatever their name; a password still works too', async () => {
  const before = await signedIn('bob');
  expect(await whoIs(before.cookie)).toEqual({ operator: 'Bob', role: 'operator', sign_in_required: true });
  const claims = people.get('bob');
  people.set('bob', { ...claims, name: 'by password' });
  const after = await signedIn('bob');
  people.set('bob', claims ?? {});
  expect(await whoIs(after.cookie)).toMatchObject({ operator: 'by password', role: 'operator' });
  const [account] = lookout.operators;
  if (!account) throw new Error('no operator of the file');
  await cookieOf(lookout, account);
  const database = new DatabaseSync(join(folder, 'lookout.sqlite'), { readOnly: true });
  const rows = database
    .prepare(
      `select distinct operator, person ->> 'issuer' as issuer, person ->> 'subject' as subject from session
       where person ->> 'name' in (?, ?) or source = ? order by operator`,
    )
    .all('Bob', 'by password', 'password');
  database.close();
  expect(rows).toEqual([
    { operator: 'by password', issuer: null, subject: null },
    { operator: expect.stringMatching(/^oidc:[\w-]{22}$/), issuer: provider.issuer, subject: 'bob' },
  ]);
});

test('The cookie of a beginning is for ten minutes, for this host, and ends with it; each sign-in opens a new session', async () => {
  const { path, cookie } = await cameBack('bob');
  const begun = await get('/sign-in/oidc');
  expect(begun.status).toBe(303);
  expect(begun.headers.get('cache-control')).toBe('no-store');
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^lookout-login=[^;]+; Path=\/; Expires=[^;]+; Max-Age=600; HttpOnly; SameSite=lax$/i),
  ]);
  const first = await get(path, { ...fromProvider, cookie });
  const session = first.headers.getSetCookie().find((text) => text.startsWith('lookout='));
  expect(session).toMatch(/; HttpOnly/i);
  expect(session).toMatch(/; SameSite=lax/i);
  expect(session).not.toMatch(/Max-Age|Expires/i);
  expect(first.headers.getSetCookie().find((text) => text.startsWith('lookout-login='))).toMatch(/Max-Age=0/);
  expect(first.headers.get('referrer-policy')).toBe('no-referrer');
  const again = await cameBack('bob');
  const second = await get(again.path, { cookie: `${cookiesOf(first)}; ${again.cookie}` });
  expect((await get('/api/session', { cookie: cookiesOf(first) })).status).toBe(401);
  expect((await get('/api/session', { cookie: cookiesOf(second) })).status).toBe(200);
});

test('A stranger’s link or callback opened in another browser signs no person in, and leaves its session', async () => {
  const led = await get('/sign-in/oidc?next=/?view=1,2,3', fromProvider);
  expect(led.headers.get('location')).toBe('/sign-in?next=%2F%3Fview%3D1%2C2%2C3');
  expect(led.headers.getSetCookie()).toEqual([]);
  const strangers = await cameBack('ada');
  const refused = '/sign-in?problem=expired&next=%2F';
  const blank = await get(strangers.path, fromProvider);
  expect(blank.headers.get('location')).toBe(refused);
  expect(blank.headers.getSetCookie()).toEqual([]);
  const own = await signedIn('bob');
  const victim = await get(strangers.path, { ...fromProvider, cookie: own.cookie });
  expect(victim.headers.getSetCookie()).toEqual([]);
  expect(await whoIs(own.cookie)).toMatchObject({ operator: 'Bob' });
  // Even with an own beginning, which still ends.
  const beginning = await cameBack('bob');
  const crossed = await get(strangers.path, { ...fromProvider, cookie: beginning.cookie });
  expect(crossed.headers.get('location')).toBe(refused);
  const ended = await get(beginning.path, { ...fromProvider, cookie: beginning.cookie });
  expect(await whoIs(cookiesOf(ended))).toMatchObject({ operator: 'Bob' });
});

test('A way back is gone once, leads to our own pages only, and is refused in words of our own', async () => {
  const { path, cookie } = await cameBack('bob', '/?view=1,2,3');
  const answers = await Promise.all([get(path, { cookie }), get(path, { cookie })]);
  const locations = answers.map((answer) => answer.headers.get('location')).sort();
  expect(locations).toEqual(['/?view=1,2,3', '/sign-in?problem=expired&next=%2F%3Fview%3D1%2C2%2C3']);
  for (const next of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    '/\t/evil.example',
    'javascript:alert(1)',
  ])
    expect((await signedIn('bob', next)).location).toBe('/');
  for (const query of [
    'state=x&code=y',
    `state=${'x'.repeat(7000)}`,
    'error=access_denied&error_description=<b>x</b>',
    '',
    '%ff',
  ])
    expect((await get(`/sign-in/oidc/callback?${query}`)).headers.get('location')).toBe(
      '/sign-in?problem=expired&next=%2F',
    );
  expect((await get(`/sign-in/oidc/callback?state=${'x'.repeat(20_000)}`)).status).toBe(431);
  const unknown = '/sign-in?problem=<script>alert(1)</script>&next=//evil.example';
  expect(await pageText(unknown)).toBe(await pageText('/sign-in'));
  const begun = await get('/sign-in/oidc');
  const asked = new URL(begun.headers.get('location') ?? '').searchParams;
  const reported = new URLSearchParams({
    error: 'server_error<script>',
    error_description: '<script>alert(1)</script>',
    state: asked.get('state') ?? '',
    iss: provider.issuer,
  });
  const answer = await get(`/sign-in/oidc/callback?${reported}`, { cookie: cookiesOf(begun) });
  expect(answer.headers.get('location')).toBe('/sign-in?problem=provider_error&next=%2F');
  expect(await answer.text()).toBe('');
});

test('Parameters that are unknown or repeated are refused, and so are other methods', async () => {
  const { url } = lookout;
  for (const query of ['next=/&next=/', 'colour=red', 'as=admin'])
    expectRefusal(await ask(`${url}/sign-in/oidc?${query}`), 400, 'bad_query');
  expect((await ask(`${url}/sign-in/oidc/callback`, { method: 'POST', headers: { origin: url } })).status).toBe(405);
});

test('Empty claims stop no sign-in and are named in the log; groups by reference are named on the page', async () => {
  const { cookie } = await signedIn('nil');
  expect(await whoIs(cookie)).toEqual({ operator: 'nil', role: 'operator', sign_in_required: true });
  await expect.poll(() => lookout.log()).toContain('"left_out":["name (empty)","email (empty)",');
  const refused = await signedIn('max');
  expect(refused.location).toBe('/sign-in?problem=groups_not_sent&next=%2F');
  expect(await pageText(refused.location ?? '', refused.cookie)).toContain('Max is in so many groups that');
});

test('Sign-ins are audited and logged, without codes, tokens or the secret', async () => {
  await signedIn('ada');
  const { path, cookie } = await cameBack('eve');
  await get(path, { cookie });
  const audited = () => {
    const database = new DatabaseSync(join(folder, 'lookout.sqlite'), { readOnly: true });
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
  await expect.poll(() => lookout.log()).toContain('"problem":"not_allowed"');
  const log = lookout.log();
  for (const secret of [provider.clientSecret, new URLSearchParams(path.split('?')[1]).get('code') ?? '-', 'eyJ'])
    expect(log).not.toContain(secret);
});

test('A provider that is not there stops nothing: the page says so, passwords work; sessions of other terms have ended', async () => {
  const session = await signedIn('bob');
  await lookout.stop();
  const elsewhere = { ...settings, OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` };
  lookout = await startLookoutHere({ operators: ['by password too'], settings: elsewhere });
  expect(await pageText('/sign-in')).toMatch(
    /127\.0\.0\.1:\d+ cannot be reached at the moment\. Try again later, or use a password/,
  );
  const begun = await get('/sign-in/oidc?next=/%3Fview%3D1,2,3');
  expect(begun.headers.get('location')).toBe('/sign-in?problem=unreachable&next=%2F%3Fview%3D1%2C2%2C3');
  const [account] = lookout.operators;
  if (!account) throw new Error('no operator of the file');
  await cookieOf(lookout, account);
  expect((await get('/api/session', { cookie: session.cookie })).status).toBe(401);
  await expect.poll(() => lookout.log()).toContain('the provider of single sign-on cannot be used');
});
