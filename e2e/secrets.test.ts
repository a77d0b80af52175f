import { randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { initialPasswordSchema } from '#lib/api/people/account.ts';
import { type Answer, ask, sessionCookie } from '#testing/api-requests.ts';
import { BrowserAtProvider } from '#testing/browser-at-provider.ts';
import { eventually } from '#testing/eventually.ts';
import { freePort } from '#testing/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '#testing/identity-provider.ts';
import { iso, pastWindow } from '#testing/past-window.ts';
import { apiRoutes } from '../scripts/docs/api-routes.ts';
import { openedBody } from './driver/opened-body.ts';
import { formsOf } from './driver/secret-forms.ts';
import { ROOT } from './running/child-process.ts';
import { modesIn } from './running/file-modes.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

class Output {
  readonly #pieces: { where: string; text: string }[] = [];

  add(where: string, text: string): void {
    this.#pieces.push({ where, text });
  }

  addAnswer(where: string, { headers, body }: Answer): void {
    this.add(where, `${JSON.stringify(headers)}\n${openedBody(body, headers['content-type'])}`);
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
  .filter(({ permission, takesToken }) => permission !== undefined && !takesToken)
  .map(({ method, path }) => `${method} ${path}`);

/** 404 without a set-up. */
const NOT_SET_UP = new Set([
  '/api/maps',
  '/api/admin/receivers',
  '/api/admin/receivers/hours',
  '/api/alarms/ID/deliveries',
  '/api/incidents/ID',
  '/api/incidents/ID/answer',
  '/api/incidents/ID/file',
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
    '/api/overview/reception': 'bbox=7,46,8,47',
    '/api/history/cost': past,
  };
  return queries[path] === undefined ? '' : `?${queries[path]}`;
}

const marked = () => `marked+key/${randomBytes(24).toString('hex')}==`;

const PAGES = [
  '/',
  '/account',
  '/admin',
  '/admin/audit',
  '/admin/doctor',
  '/admin/outputs',
  '/admin/receivers',
  '/incidents',
  '/overview',
  '/wall',
];

describe('The key, the password and the session leak nowhere: pages, scripts, answers, errors, logs', () => {
  const [apiKey, sessionSecret, metricsToken] = [marked(), marked(), marked()];
  const output = new Output();
  const folder = mkdtempSync(join(tmpdir(), 'lookout-secrets-'));
  let url: string;
  let provider: IdentityProvider;
  let lookout: RunningLookout;
  let account: RunningLookout['operators'][number];
  let session: string;
  let headers: Readonly<Record<string, string>>;

  const asked = async (route: string, more: Readonly<Record<string, string>> = {}, body?: object | string) => {
    const [method = '', path = ''] = route.split(' ');
    const answer = await ask(url + path, { method, headers: { origin: url, ...more }, body });
    output.addAnswer(route, answer);
    return answer;
  };

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    provider = await startIdentityProvider({
      people: new Map([['ada', { name: 'Ada L.', groups: ['tower'] }]]),
      redirectUri: `${url}/sign-in/oidc/callback`,
    });
    const [clientSecretFile, tokenFile] = [join(folder, 'client'), join(folder, 'token')];
    writeFileSync(clientSecretFile, provider.clientSecret);
    writeFileSync(tokenFile, metricsToken);
    const before = process.umask(0o077);
    try {
      lookout = await startLookout({
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
    } finally {
      process.umask(before);
    }
    [account] = lookout.operators as [typeof account];
    await asked('POST /api/session', {}, { name: account.name, password: 'not the password at all' });
    const { name, password } = account;
    const signedIn = await ask(`${url}/api/session`, {
      method: 'POST',
      headers: { origin: url },
      body: { name, password },
    });
    expect(signedIn.status).toBe(204);
    output.add('the answer to a sign-in', signedIn.text);
    const cookie = sessionCookie(signedIn);
    session = cookie.replace('lookout=', '');
    headers = { origin: url, cookie };
    expect(session.length).toBeGreaterThan(40);
  });
  afterAll(async () => {
    await lookout.stop();
    await provider.stop();
    rmSync(folder, { recursive: true });
  });

  test('every route answers or refuses an admin, and a caller who has not signed in', async () => {
    for (const route of ROUTES) {
      const [method = '', path = ''] = route.split(' ');
      const filled = path.replace(/\b[A-Z]+\b/, 'none');
      const body = method === 'GET' || method === 'HEAD' ? undefined : { no: 'such field', password: account.password };
      for (const cookie of ['', headers.cookie ?? '']) {
        const { status } = await asked(`${method} ${filled}${queryOf(path)}`, { cookie }, body);
        if (cookie === '') expect.soft(status, route).toBe(401);
        else if (method === 'GET' && !NOT_SET_UP.has(path)) expect.soft(status, route).toBe(200);
        else expect.soft([401, 500], route).not.toContain(status);
      }
    }
  });

  test('every page is shown, with every script and style that it names', async () => {
    const files = new Set<string>();
    for (const path of PAGES) {
      const page = await asked(`GET ${path}`, headers);
      expect(page.status, path).toBe(200);
      for (const [file] of page.text.matchAll(/\/_next\/static\/[\w./~-]+\.(?:js|css)/g)) files.add(file);
    }
    expect((await asked('GET /sign-in?next=%2F')).status).toBe(200);
    for (const file of files) expect((await asked(`GET ${file}`, headers)).status, file).toBe(200);
  });

  let initialPassword: string;
  test('an initial password is shown once, where it is made', async () => {
    const body = { name: 'dora', role: 'viewer' };
    const added = await ask(`${url}/api/admin/people`, { method: 'POST', headers, body });
    await asked('GET /api/admin/people', headers);
    initialPassword = initialPasswordSchema.parse(added.json()).password;
  });

  let token: string;
  test('a token is shown once, where it is made, and used in a header, in a path, and wrongly in a query', async () => {
    const body = { name: 'Inspector', scopes: ['aircraft', 'read-live', 'write-zones'] };
    token = (await ask(`${url}/api/admin/read-tokens`, { method: 'POST', headers, body })).json().secret;
    const by = { authorization: `Bearer ${token}` };
    for (const route of ['GET /api/live?bbox=5,45,11,48', 'GET /api/admin/people', 'POST /api/zones'])
      await asked(route, by, route.startsWith('POST') ? { no: 'such field' } : undefined);
    for (const path of [
      `/api/feeds/${token}/data/aircraft.json`,
      `/api/live?bbox=5,45,11,48&token=${token}`,
      `/?wall=${token}`,
    ]) {
      const { text } = await ask(`${url}${path}`, { headers });
      output.add(`the answer at ${path.slice(0, 12)}`, text);
    }
    await asked('GET /api/admin/read-tokens', headers);
    await asked('GET /api/admin/audit', headers);
  });

  let code: string;
  test('signing in by passkey and at a provider, with what the provider sends back', async () => {
    const passkey = { id: 'none', rawId: 'none', type: 'public-key', response: {} };
    await asked('POST /api/session/passkey/options');
    await asked('POST /api/session/passkey', {}, { passkey });
    const begun = await asked('GET /sign-in/oidc?next=%2F');
    expect(begun.status).toBe(303);
    const back = await new BrowserAtProvider().signIn(new URL(begun.headers.location ?? ''), 'ada', url);
    const cookie = (begun.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
    const refused = await asked(`GET ${back.pathname}${back.search}`.replace('state=', 'state=x'), { cookie });
    expect(refused.status).toBe(303);
    const came = await ask(`${url}${back.pathname}${back.search}`, { headers: { cookie } });
    expect(String(came.headers['set-cookie'])).toContain('lookout=');
    output.add('the way back from the provider', JSON.stringify({ ...came.headers, 'set-cookie': '' }));
    code = back.searchParams.get('code') ?? '';
  });

  test('health, readiness and metrics', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) await asked(`GET ${path}`);
    const metrics = await asked('GET /metrics', { authorization: `Bearer ${metricsToken}` });
    expect(metrics.text).toContain('lookout_spent_total');
  });

  test('errors of the upstream, which may reveal too much', async () => {
    const live = () => asked('GET /api/live?bbox=5,45,11,48', headers);
    const polls = () => asked('GET /api/live?bbox=5,45,11,48&page=poll', { ...headers, accept: COMPACT_LIVE_TYPE });
    const reasons = async () => {
      await polls();
      const { rid, adsb } = (await live()).json().layers;
      return [rid.reason, adsb.reason];
    };
    await lookout.service.breakWith({ kind: 'status', status: 403, as: 'html', operation: 'live_rid' });
    await eventually(async () => expect((await reasons())[0]).not.toBeNull());
    await lookout.service.breakWith({ kind: 'cut_json' });
    await eventually(async () => expect((await reasons())[1]).toBe('answer_unreadable'));
    await lookout.service.breakWith({ kind: 'status', status: 401 });
    await eventually(async () => expect((await reasons())[1]).toBe('key_refused'));
    await asked('GET /api/status', headers);
  });

  test('requests that are refused', async () => {
    const paths = ['/', '/sign-in', '/api/live', '/api/live?bbox=5,45,11,48&layers=rid', '/api/session', '/api/none'];
    const odd = ['/healthz', '/no-page', '/_next/static/none.js', '/%00', '/api/live?bbox=%'];
    for (const cookie of ['', headers.cookie ?? '']) {
      for (const path of [...paths, ...odd]) {
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'TRACE'])
          await asked(`${method} ${path}`, { cookie });
      }
    }
    const { name, password } = account;
    for (const [status, body] of [
      [413, JSON.stringify({ name, password: 'x'.repeat(100_000) })],
      [400, '{"name":'],
      [400, JSON.stringify({ name, password: [password] })],
    ] as const) {
      const answer = await asked('POST /api/session', { 'content-type': 'application/json' }, body);
      expect(answer.status).toBe(status);
    }
  });

  test('nothing of this has a secret, nor have the build, the logs and the files', async () => {
    const built = join(ROOT, '.next/static');
    for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile()) output.add(`built ${file}`, readFileSync(file, 'latin1'));
    }
    await eventually(() => expect(lookout.app.stderr()).toContain('upstream'));
    output.add('the log of the app', lookout.app.stderr());
    output.add('the log of the service', lookout.service.log());
    for (const name of readdirSync(lookout.dataDir, { recursive: true, encoding: 'utf8' })) {
      const file = join(lookout.dataDir, name);
      if (lstatSync(file).isFile()) output.add(`kept in ${name}`, readFileSync(file, 'latin1'));
    }
    const places = output.places();
    for (const kind of ['.js', '.css', '/api/live?', 'the log of the app', 'kept in lookout.sqlite', '/metrics'])
      expect(
        places.some((place) => place.includes(kind)),
        `a source with ${kind}`,
      ).toBe(true);
    expect(places.length).toBeGreaterThan(200);
    expect(output.characters).toBeGreaterThan(2_000_000);
    expect(output.placesWith(account.name)).toContain('GET /account');

    const { clientSecret } = provider;
    const secrets = [apiKey, account.password, sessionSecret, metricsToken, clientSecret, initialPassword, code, token];
    for (const [index, secret] of secrets.entries()) {
      expect(secret.length, `secret ${index}`).toBeGreaterThan(10);
      expect(output.placesWith(secret), `secret ${index}`).toEqual([]);
    }
    expect(output.placesWith(session).filter((place) => place.startsWith('kept in'))).toEqual([]);
    expect(output.placesWith(lookout.service.baseUrl)).toEqual([]);
    const logs = `${lookout.app.stderr()}${lookout.service.log()}`;
    expect(logs).not.toContain(session);
    const carried = [session, decodeURIComponent(session), Buffer.from(session, 'base64').toString('latin1')].join(
      '\n',
    );
    for (const secret of [account.password, account.name, apiKey])
      for (const form of formsOf(secret)) expect(carried).not.toContain(form);
  });

  test('restricts its files to their owner, under a umask that does so, too', () => {
    const modes = modesIn(lookout.dataDir);
    expect(modes.length).toBeGreaterThan(2);
    for (const [path, mode] of modes) expect.soft(mode, path).toBe(lstatSync(path).isDirectory() ? '700' : '600');
  });
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
