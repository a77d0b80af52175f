import { randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIResponse, Page } from '@playwright/test';
import { initialPasswordSchema } from '#lib/api/people/account.ts';
import { BrowserAtProvider } from '#testing/browser-at-provider.ts';
import { freePort } from '#testing/free-port.ts';
import { startIdentityProvider } from '#testing/identity-provider.ts';
import { apiRoutes } from '../scripts/docs/api-routes.ts';
import { openedBody } from './driver/opened-body.ts';
import { iso, pastWindow } from './driver/past-window.ts';
import { formsOf } from './driver/secret-forms.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { ROOT } from './running/child-process.ts';

test.use({ basemap: 'built-in' });

class Output {
  readonly #pieces: { where: string; text: string }[] = [];
  readonly #pending: Promise<unknown>[] = [];

  add(where: string, text: string): void {
    this.#pieces.push({ where, text });
  }

  async addAnswer(where: string, answer: Pick<APIResponse, 'headersArray' | 'body'>): Promise<void> {
    const [headers, body] = await Promise.all([answer.headersArray(), answer.body().catch(() => Buffer.of())]);
    this.add(where, `${JSON.stringify(headers)}\n${body.toString('latin1')}`);
  }

  listenTo(page: Page): void {
    page.on('response', (response) => {
      const keep = async () => {
        const [headers, body] = await Promise.all([response.headersArray(), response.body().catch(() => Buffer.of())]);
        const type = response.headers()['content-type'];
        this.add(response.url(), `${JSON.stringify(headers)}\n${openedBody(body, type)}`);
      };
      this.#pending.push(keep().catch(() => undefined));
    });
    page.on('console', (message) => this.add('console', message.text()));
  }

  async complete(): Promise<void> {
    await Promise.all(this.#pending);
  }

  places(): readonly string[] {
    return this.#pieces.map(({ where }) => where);
  }

  get characters(): number {
    return this.#pieces.reduce((sum, { text }) => sum + text.length, 0);
  }

  placesWith(secret: string): readonly string[] {
    const forms = formsOf(secret);
    return this.#pieces.filter(({ text }) => forms.some((form) => text.includes(form))).map(({ where }) => where);
  }
}

const ROUTES = apiRoutes()
  .filter(({ permission }) => permission !== undefined)
  .map(({ method, path }) => `${method} ${path}`);

/** 404 without a set-up. */
const NOT_SET_UP = new Set([
  '/api/maps',
  '/api/admin/receivers',
  '/api/admin/receivers/hours',
  '/api/alarms/ID/deliveries',
  '/api/overlays/ID',
  '/api/zones/ID/watched',
]);

function queryOf(path: string): string {
  const { start, end } = pastWindow(2);
  const past = `bbox=7,46,8,47&layers=adsb&start=${iso(start)}&end=${iso(end)}`;
  const queries: Readonly<Record<string, string>> = {
    '/api/live': 'bbox=5,45,11,48',
    '/api/trails': 'bbox=5,45,11,48',
    '/api/places': 'q=zurich',
    '/api/maps': 'name=none',
    '/api/export': `format=csv&${past}`,
    '/api/history': past,
    '/api/alarms/export': 'format=csv',
    '/api/alarms/presence': `start=${iso(start)}&end=${iso(end)}`,
    '/api/zones/ID/watched': `start=${iso(start)}&end=${iso(end)}`,
    '/api/zones/unwatched': `start=${iso(start)}&end=${iso(end)}`,
    '/api/overview/coverage': `layer=adsb&start=${iso(start)}&end=${iso(end)}`,
    '/api/overview/hours': `bbox=7,46,8,47&start=${iso(start)}&end=${iso(end)}`,
    '/api/history/cost': past,
  };
  return queries[path] === undefined ? '' : `?${queries[path]}`;
}

const marked = () => `marked+key/${randomBytes(24).toString('hex')}==`;

test('The key, the password and the session leak nowhere: pages, scripts, answers, errors, logs', async ({
  page,
  request,
  playwright,
  startDesk,
}) => {
  const [apiKey, sessionSecret, metricsToken] = [marked(), marked(), marked()];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const provider = await startIdentityProvider({
    people: new Map([['ada', { name: 'Ada L.', groups: ['tower'] }]]),
    redirectUri: `${url}/sign-in/oidc/callback`,
  });
  const folder = mkdtempSync(join(tmpdir(), 'lookout-secrets-'));
  const [clientSecretFile, tokenFile] = [join(folder, 'client'), join(folder, 'token')];
  writeFileSync(clientSecretFile, provider.clientSecret);
  writeFileSync(tokenFile, metricsToken);
  const { lookout } = await startDesk({
    service: { apiKey },
    operators: ['tower@airfield'],
    roles: { 'tower@airfield': 'admin' },
    settings: {
      LOG_LEVEL: 'debug',
      PORT: String(port),
      PUBLIC_URL: url,
      SESSION_SECRET: sessionSecret,
      METRICS_TOKEN_FILE: tokenFile,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET_FILE: clientSecretFile,
      OIDC_ALLOW: 'tower',
    },
  });
  const [account] = lookout.operators;
  if (!account) throw new Error('no operator');
  const output = new Output();
  output.listenTo(page);

  const form = new SignInDriver(page, lookout.url);
  await form.opens('/?view=46.9,8.2,7');
  await form.submits({ ...account, password: 'not the password at all' });
  await expect(form.refusal).toHaveText(/not accepted/);
  await form.submits(account);
  const operator = form.asOperator();
  await operator.seesPositions();
  await expect(operator.state('Aircraft')).toHaveText(/up to date/);
  await operator.tracks.selectsFirst();
  output.add('the rendered page', await page.content());

  const session = (await page.context().cookies()).find(({ name }) => name === 'lookout')?.value ?? '';
  expect(session.length).toBeGreaterThan(40);
  const bare = await playwright.request.newContext({ baseURL: url, maxRedirects: 0 });
  const headers = { origin: url, cookie: `lookout=${session}` };
  const ask = async (route: string, more: Readonly<Record<string, string>> = {}, data?: object) => {
    const [method = '', path = ''] = route.split(' ');
    const answer = await bare.fetch(path, { method, headers: { origin: url, ...more }, ...(data && { data }) });
    await output.addAnswer(route, answer);
    return answer;
  };

  await test.step('Every route answers or refuses an admin, and a caller who has not signed in', async () => {
    for (const route of ROUTES) {
      const [method = '', path = ''] = route.split(' ');
      const filled = path.replace(/\b[A-Z]+\b/, 'none');
      const data = method === 'GET' || method === 'HEAD' ? undefined : { no: 'such field', password: account.password };
      for (const cookie of ['', headers.cookie]) {
        const answer = await ask(`${method} ${filled}${queryOf(path)}`, { cookie }, data);
        if (cookie === '') expect.soft(answer.status(), route).toBe(401);
        else if (method === 'GET' && !NOT_SET_UP.has(path)) expect.soft(answer.status(), route).toBe(200);
        else expect.soft([401, 500], route).not.toContain(answer.status());
      }
    }
    for (const path of ['/account', '/admin']) {
      await page.goto(`${url}${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      output.add(`the rendered ${path}`, await page.content());
    }
  });

  const initialPassword = await test.step('An initial password is shown once, where it is made', async () => {
    const added = await bare.fetch('/api/admin/people', {
      method: 'POST',
      headers,
      data: { name: 'dora', role: 'viewer' },
    });
    await ask('GET /api/admin/people', headers);
    return initialPasswordSchema.parse(await added.json()).password;
  });

  const code =
    await test.step('Signing in by passkey and at a provider, with what the provider sends back', async () => {
      const passkey = { id: 'none', rawId: 'none', type: 'public-key', response: {} };
      await ask('POST /api/session/passkey/options');
      await ask('POST /api/session/passkey', {}, { passkey });
      const begun = await ask('GET /sign-in/oidc?next=%2F');
      expect(begun.status()).toBe(303);
      const back = await new BrowserAtProvider().signIn(new URL(begun.headers().location ?? ''), 'ada', url);
      const cookie = (begun.headers()['set-cookie'] ?? '').split(';')[0] ?? '';
      const refused = await ask(`GET ${back.pathname}${back.search}`.replace('state=', 'state=x'), { cookie });
      expect(refused.status()).toBe(303);
      const came = await bare.fetch(`${back.pathname}${back.search}`, { headers: { cookie } });
      expect(came.headers()['set-cookie']).toContain('lookout=');
      output.add('the way back from the provider', JSON.stringify({ ...came.headers(), 'set-cookie': '' }));
      return back.searchParams.get('code') ?? '';
    });

  await test.step('Health, readiness and metrics', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) await ask(`GET ${path}`);
    const metrics = await ask('GET /metrics', { authorization: `Bearer ${metricsToken}` });
    expect(await metrics.text()).toContain('lookout_spent_total');
  });

  // Upstream errors may reveal too much.
  await form.opens('/?view=46.9,8.2,7');
  await lookout.service.breakWith({ kind: 'status', status: 403, as: 'html', operation: 'live_rid' });
  await expect(operator.state('Drones')).toHaveText(/no answer from the service/);
  await lookout.service.breakWith({ kind: 'cut_json' });
  await expect(operator.state('Aircraft')).toHaveText(/unreadable answer from the service/);
  await lookout.service.breakWith({ kind: 'status', status: 401 });
  await expect(operator.state('Aircraft')).toHaveText(/key refused by the service/);

  for (const cookieHeader of ['', `lookout=${session}`]) {
    for (const path of [
      '/',
      '/sign-in',
      '/api/live',
      '/api/live?bbox=5,45,11,48&layers=rid',
      '/api/session',
      '/api/none',
      '/healthz',
      '/no-page',
      '/_next/static/none.js',
      '/%00',
      '/api/live?bbox=%',
    ]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'TRACE-ME']) {
        const answer = await request.fetch(`${lookout.url}${path}`, {
          method,
          maxRedirects: 0,
          headers: { cookie: cookieHeader, origin: lookout.url },
        });
        await output.addAnswer(`${method} ${path}`, answer);
      }
    }
  }
  const refused = [
    { status: 413, data: JSON.stringify({ name: account.name, password: 'x'.repeat(100_000) }) },
    { status: 400, data: '{"name":' },
    { status: 400, data: JSON.stringify({ name: account.name, password: [account.password] }) },
  ];
  for (const { status, data } of refused) {
    const headers = { 'content-type': 'application/json', origin: lookout.url };
    const answer = await request.post(`${lookout.url}/api/session`, { data: Buffer.from(data), headers });
    expect(answer.status()).toBe(status);
    await output.addAnswer(`POST /api/session refused with ${status}`, answer);
  }
  const built = join(ROOT, '.next/static');
  for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile()) output.add(`built ${file}`, readFileSync(file, 'latin1'));
  }
  await output.complete();
  output.add('the log of the app', lookout.app.stderr());
  output.add('the log of the service', lookout.service.log());
  for (const name of readdirSync(lookout.dataDir, { recursive: true, encoding: 'utf8' })) {
    const file = join(lookout.dataDir, name);
    if (lstatSync(file).isFile()) output.add(`kept in ${name}`, readFileSync(file, 'latin1'));
  }

  const places = output.places();
  for (const kind of ['.js', '.css', '/api/live?', 'the log of the app', 'kept in lookout.sqlite', '/metrics']) {
    expect(
      places.some((place) => place.includes(kind)),
      `a source with ${kind}`,
    ).toBe(true);
  }
  expect(places.length).toBeGreaterThan(200);
  expect(output.characters).toBeGreaterThan(2_000_000);
  expect(output.placesWith(account.name)).toContain('the rendered page');
  await expect.poll(() => lookout.app.stderr()).toContain('upstream');

  const secrets = [apiKey, account.password, sessionSecret, metricsToken, provider.clientSecret, initialPassword, code];
  for (const [index, secret] of secrets.entries()) {
    expect(secret.length, `secret ${index}`).toBeGreaterThan(10);
    expect(output.placesWith(secret), `secret ${index}`).toEqual([]);
  }
  expect(output.placesWith(session).filter((place) => place.startsWith('kept in'))).toEqual([]);
  expect(output.placesWith(lookout.service.baseUrl)).toEqual([]);
  const logs = `${lookout.app.stderr()}${lookout.service.log()}`;
  expect(logs).not.toContain(session);
  const carried = [session, decodeURIComponent(session), Buffer.from(session, 'base64').toString('latin1')].join('\n');
  for (const secret of [account.password, account.name, apiKey]) {
    for (const form_ of formsOf(secret)) expect(carried).not.toContain(form_);
  }
  await bare.dispose();
  await provider.stop();
});

test('The search for a secret finds every form of it', () => {
  const secret = `marked+key/${randomBytes(24).toString('hex')}==`;
  const within = Buffer.from(`{"key":"${secret}"}`);
  const forms = {
    clear: within.toString(),
    base64: within.toString('base64'),
    base64url: within.toString('base64url'),
    hex: within.toString('hex'),
    address: new URLSearchParams({ key: secret }).toString(),
  };
  const output = new Output();
  for (const [form, text] of Object.entries(forms)) output.add(form, text);
  expect(output.placesWith(secret)).toEqual(Object.keys(forms));
  expect(output.placesWith(secret.replace('marked', 'spared'))).toEqual([]);
});

test('The browser build contains nothing of the server: none of its settings, and no source in a source map', () => {
  const folder = join(ROOT, '.next/static');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(3);
  // The bundler leaves an empty map for a chunk without sources.
  for (const file of files.filter((name) => name.endsWith('.map'))) {
    expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toEqual({ version: 3, sources: [], sections: [] });
  }
  const serverOnly = [
    'POSITIONS_API',
    'DATABASE_URL',
    'SESSION_SECRET',
    'authorization',
    'Bearer ',
    'iron-session',
    'argon2',
  ];
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const word of serverOnly) expect(text.includes(word), `${word} in ${file}`).toBe(false);
  }
});
