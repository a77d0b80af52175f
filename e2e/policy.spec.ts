import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { APIResponse, Page, Response } from '@playwright/test';
import { cookieOf, expectRefusal } from './driver/api-answers.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import { ROOT } from './running/child-process.ts';
import type { OperatorAccount } from './running/operators.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

const guardedLookout = sharedInFile(() => startLookout({ operators: ['tower'] }));
const test = lookoutTest.extend<{ guarded: RunningLookout }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  guarded: ({}, use) => use(guardedLookout()),
});

test.describe.configure({ mode: 'default' });
test.use({ basemap: 'built-in' });

// Fine enough to tell land from sea.
test.use({ deviceScaleFactor: 0.5, contextOptions: { reducedMotion: 'no-preference' } });

async function collectProblems(page: Page): Promise<readonly string[]> {
  const problems: string[] = [];
  await page.exposeFunction('reportProblem', (problem: string) => problems.push(problem));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { reportProblem } = globalThis as unknown as { reportProblem: (problem: string) => void };
      reportProblem(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
  });
  page.on('console', (message) => {
    // It concerns the graphics driver only.
    if (message.text().includes('GL Driver Message (OpenGL, Performance')) return;
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  return problems;
}

function foreignOrigins(page: Page, own: string): readonly string[] {
  const foreign: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== new URL(own).origin) foreign.push(request.url());
  });
  return foreign;
}

function expectSecurityHeaders(answer: Response | APIResponse): void {
  const headers = answer.headers();
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(headers['permissions-policy']).toContain('geolocation=(self)');
  expect(headers['x-powered-by']).toBeUndefined();
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).toMatch(/script-src 'nonce-[A-Za-z0-9+/_=-]{20,}' 'strict-dynamic'/);
  expect(policy).not.toContain('unsafe');
  for (const directive of ['default-src', 'object-src', 'base-uri', 'frame-ancestors']) {
    expect(policy).toContain(`${directive} 'none'`);
  }
}

test('The live page keeps its CSP, causes no errors, and requests no other origin', async ({
  operator,
  sharedLookout,
}) => {
  const problems = await collectProblems(operator.page);
  const foreign = foreignOrigins(operator.page, sharedLookout.url);
  await operator.watches();
  await operator.tracks.selectsFirst();
  await operator.choosesTheme('light');
  await operator.switchesLayer('Drones');
  await operator.page.keyboard.press('?');
  await expect(operator.help).toBeVisible();
  await operator.page.keyboard.press('Escape');
  const zoom = () => operator.viewInAddress()?.zoom ?? Number.NaN;
  await expect.poll(zoom).toBeGreaterThan(2);
  while (zoom() > 2) {
    const before = zoom();
    await operator.page.keyboard.press('-');
    await expect.poll(zoom).toBeLessThan(before);
  }
  await operator.seesPositions();
  await test.step('The built-in basemap tells land from sea', async () => {
    const difference = async () => {
      const sahara = await operator.luminanceAt({ lat: 23, lon: 5 });
      return Math.abs(sahara - (await operator.luminanceAt({ lat: 23, lon: -45 })));
    };
    await expect.poll(difference).toBeGreaterThan(3);
  });
  expect(problems).toEqual([]);
  expect(foreign).toEqual([]);
});

test('The sign-in page keeps its CSP, causes no errors, and requests no other origin', async ({
  page,
  guarded: lookout,
}) => {
  const problems = await collectProblems(page);
  const foreign = foreignOrigins(page, lookout.url);
  const form = new SignInDriver(page, lookout.url);
  await form.opens('/');
  await form.seesForm();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
  expect(problems).toEqual([]);
  expect(foreign).toEqual([]);
});

test('Every page has its own nonce, and every answer the security headers', async ({ request, sharedLookout }) => {
  const page = await (await request.get(sharedLookout.url)).text();
  const script = /\/_next\/static\/[^"]+\.js/.exec(page)?.[0] ?? '';
  const sent = (await request.get(`${sharedLookout.url}${script}`)).headers();
  expect(sent, 'of a script, as it was compressed when it was built').toMatchObject({
    'content-encoding': 'gzip',
    'content-length': String(statSync(join(ROOT, '.next', `${script.slice('/_next/'.length)}.gz`)).size),
  });
  const paths = [
    script,
    '/',
    '/sign-in',
    '/api/live?bbox=5,45,11,48&layers=rid',
    '/api/live',
    '/api/none',
    '/healthz',
    '/no-page',
  ];
  const nonces = new Set<string>();
  for (const path of paths) {
    const answer = await request.get(`${sharedLookout.url}${path}`, { maxRedirects: 0 });
    expectSecurityHeaders(answer);
    nonces.add(/'nonce-([^']+)'/.exec(answer.headers()['content-security-policy'] ?? '')?.[1] ?? '');
  }
  expect(nonces.size).toBe(paths.length);
});

const reachedBy = [
  { by: 'https', publicUrl: 'https://lookout.example', secure: true, name: '__Host-lookout', settings: {} },
  {
    by: 'http',
    publicUrl: 'http://lookout.example',
    secure: false,
    name: 'lookout',
    // A loopback address that counts as public.
    settings: { HOST: '127.0.0.2', ALLOW_PLAIN_HTTP: '1' },
  },
];

for (const { by, publicUrl, secure, name, settings } of reachedBy) {
  test(`Reached by ${by}, the cookie and the transport are ${secure ? '' : 'not '}bound to TLS`, async ({
    request,
    startOwn,
  }) => {
    const lookout = await startOwn({ operators: ['tower'], settings: { PUBLIC_URL: publicUrl, ...settings } });
    const warned = /"level":40.*"setting":"ALLOW_PLAIN_HTTP".*read passwords, take over sessions/;
    if (secure) expect(lookout.app.stderr()).toBe('');
    else await expect.poll(() => lookout.app.stderr()).toMatch(warned);
    const signedIn = await request.post(`${lookout.url}/api/session`, {
      data: { name: 'tower', password: lookout.operators[0]?.password },
      headers: { origin: publicUrl },
    });
    expect(signedIn.status()).toBe(204);
    const [pair = '', ...attributes] = (signedIn.headers()['set-cookie'] ?? '').split('; ');
    expect(pair.split('=')[0]).toBe(name);
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly']));
    expect(attributes.join(';')).toMatch(/SameSite=lax/i);
    expect(attributes.join(';')).not.toMatch(/Domain=/i);
    expect(attributes.includes('Secure')).toBe(secure);
    for (const path of ['/', '/sign-in', '/api/live?bbox=5,45,11,48', '/api/none']) {
      const answer = await request.get(`${lookout.url}${path}`, { headers: { cookie: pair }, maxRedirects: 0 });
      expect(answer.headers()['strict-transport-security'], path).toEqual(
        secure ? expect.stringMatching(/^max-age=\d{8,}/) : undefined,
      );
    }
    const own = await request.get(`${lookout.url}/api/session`, { headers: { cookie: pair } });
    expect(own.status()).toBe(200);
  });
}

test('Answers with positions are stored by no cache and readable by no other site', async ({
  request,
  sharedLookout,
}) => {
  const address = `${sharedLookout.url}/api/live?bbox=5,45,11,48&layers=rid,adsb`;
  const answer = await request.get(address, { headers: { origin: 'https://evil.example' } });
  expect(answer.status()).toBe(200);
  expect(answer.headers()['cache-control']).toBe('no-store');
  expect(answer.headers()['access-control-allow-origin']).toBeUndefined();
  expect(answer.headers()['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('Without sign-in only this machine’s own host names are answered, against DNS rebinding', async ({
  request,
  sharedLookout,
}) => {
  const answer = await request.get(`${sharedLookout.url}/api/live?bbox=5,45,11,48&layers=rid`, {
    headers: { host: 'evil.example' },
  });
  expect(answer.status()).toBe(401);
});

test('Refused requests and guessed passwords cost no upstream requests; guesses are slowed by address too', async ({
  request,
  guarded: lookout,
}) => {
  const cookie = await cookieOf(request, lookout, lookout.operators[0] as OperatorAccount);
  const live = (query: string) => request.get(`${lookout.url}/api/live?${query}`, { headers: { cookie } });
  await expectRefusal(await live('bbox=5,45,11,48&layers=rid&colour=red'), 400, 'bad_query');
  await expectRefusal(await live('bbox=5,45,11,48&bbox=5,45,11,48'), 400, 'bad_query');
  await expectRefusal(await live('bbox=5,45,11'), 400, 'bad_query');
  await expectRefusal(
    await request.get(`${lookout.url}/api/live?bbox=5,45,11,48&layers=rid`, { headers: { cookie: '' } }),
    401,
    'not_signed_in',
  );

  const guess = (attempt: number) =>
    request.post(`${lookout.url}/api/session`, {
      data: { name: `guess${attempt}`, password: 'not the password at all' },
      // Each claims another sender.
      headers: {
        origin: lookout.url,
        'x-forwarded-for': `198.51.100.${attempt}`,
        'x-lookout-peer': `198.51.100.${attempt}`,
      },
    });
  let attempts = 0;
  let answer = await guess(attempts);
  // 20 failures per address are free, then the delay doubles from a second.
  while (answer.status() === 401 && attempts < 30) answer = await guess(++attempts);
  await expectRefusal(answer, 429, 'too_many_attempts');
  expect(attempts).toBeGreaterThanOrEqual(20);

  expect(await lookout.service.requests()).toEqual([]);
  expect((await live('bbox=5,45,11,48&layers=rid')).status()).toBe(200);
  await expect.poll(async () => (await lookout.service.requests()).length).toBeGreaterThan(0);
});
