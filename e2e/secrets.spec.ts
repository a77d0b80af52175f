import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIResponse, Page } from '@playwright/test';
import { openedBody } from './driver/opened-body.ts';
import { formsOf } from './driver/secret-forms.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { ROOT } from './running/child-process.ts';

test.use({ basemap: 'built-in' });

/** Everything that left the server, with its source. */
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

test('The key, the password and the session leak nowhere: pages, scripts, answers, errors, logs', async ({
  page,
  request,
  startDesk,
}) => {
  const apiKey = `marked+key/${randomBytes(24).toString('hex')}==`;
  const { lookout } = await startDesk({
    service: { apiKey },
    operators: ['tower@airfield'],
    settings: { LOG_LEVEL: 'debug' },
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

  // Upstream errors may reveal more than they should.
  await lookout.service.breakWith({ kind: 'status', status: 403, as: 'html', operation: 'live_rid' });
  await expect(operator.state('Drones')).toHaveText(/no live access to this layer/);
  await lookout.service.breakWith({ kind: 'cut_json' });
  await expect(operator.state('Aircraft')).toHaveText(/unreadable answer from the service/);
  await lookout.service.breakWith({ kind: 'status', status: 401 });
  await expect(operator.state('Aircraft')).toHaveText(/key refused by the service/);

  const [cookie] = await page.context().cookies();
  const session = cookie?.value ?? '';
  expect(session.length).toBeGreaterThan(40);
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
  output.add('the log of the service', lookout.service.stderr());

  // The search covers these places, and finds what is there.
  const places = output.places();
  for (const kind of ['.js', '.css', '/api/live?', 'the log of the app']) {
    expect(
      places.some((place) => place.includes(kind)),
      `a source with ${kind}`,
    ).toBe(true);
  }
  expect(places.length).toBeGreaterThan(200);
  expect(output.characters).toBeGreaterThan(2_000_000);
  expect(output.placesWith(account.name)).toContain('the rendered page');
  expect(lookout.app.stderr()).toContain('upstream');

  expect(output.placesWith(apiKey)).toEqual([]);
  expect(output.placesWith(account.password)).toEqual([]);
  expect(output.placesWith(lookout.service.baseUrl)).toEqual([]);
  const logs = `${lookout.app.stderr()}${lookout.service.stderr()}`;
  expect(logs).not.toContain(session);
  const carried = [session, decodeURIComponent(session), Buffer.from(session, 'base64').toString('latin1')].join('\n');
  for (const secret of [account.password, account.name, apiKey]) {
    for (const form_ of formsOf(secret)) expect(carried).not.toContain(form_);
  }
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
    'OPERATORS_FILE',
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
