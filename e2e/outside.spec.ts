import { argon2Sync, randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { flood, newTally } from '#testing/hostile-requests.ts';
import { apiRoutes } from '../scripts/docs/api-routes.ts';
import { cookieOf } from './driver/api-answers.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import type { OperatorAccount } from './running/operators.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

interface Outside {
  readonly lookout: RunningLookout;
  readonly tower: OperatorAccount;
  readonly cookie: string;
}

async function startUnder(umask: number, settings: Readonly<Record<string, string>>): Promise<RunningLookout> {
  const DATA_DIR = join(mkdtempSync(join(tmpdir(), 'lookout-umask-')), 'data');
  const before = process.umask(umask);
  try {
    return await startLookout({
      operators: ['tower', 'visitor'],
      roles: { tower: 'admin' },
      settings: { ...settings, DATA_DIR },
    });
  } finally {
    process.umask(before);
  }
}

/** Behind a trusted proxy, with a umask that keeps nothing private. */
const outsideLookout = sharedInFile(async ({ playwright }) => {
  const lookout = await startUnder(0o000, { TRUSTED_PROXIES: 'loopback' });
  const [tower] = lookout.operators;
  if (!tower) throw new Error('no operator');
  const browser = await playwright.request.newContext();
  const cookie = await cookieOf(browser, lookout, tower);
  await browser.dispose();
  return { lookout, tower, cookie, stop: lookout.stop };
});
const test = lookoutTest.extend<{ readonly outside: Outside }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  outside: ({}, use) => use(outsideLookout()),
});

/** Repeats a failed flood. */
const FLOOD_SEED = 20_261_123;

test.describe.configure({ mode: 'default' });

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Including headers that `fetch` reserves. */
function ask(url: string, method = 'GET', headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = httpRequest(url, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function firstLine(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.once('data', (chunk) => {
      resolve(chunk.toString('latin1').split('\r\n', 1)[0] ?? '');
      socket.destroy();
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || code === 'ECONNRESET') resolve('cut');
      else reject(new Error(`no answer: ${code}`));
    });
  });
}

function modesIn(folder: string): readonly (readonly [path: string, mode: string])[] {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return [folder, ...inside].map((path) => [path, (lstatSync(path).mode & 0o777).toString(8)]);
}

function memoryMb(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

const WITHOUT_BODY = [
  'POST /api/admin/people/ID/password',
  'POST /api/account/confirmation/options',
  'POST /api/account/passkeys/options',
  'POST /api/admin/allowance',
  'POST /api/admin/destinations/ID/secret',
  'POST /api/admin/destinations/ID/trial',
];

/** Without passkey sign-in, which has a route without a body. */
const ROUTES = apiRoutes()
  .filter(({ path }) => !path.startsWith('/api/session/passkey'))
  .map(({ method, path }) => ({
    name: `${method} ${path}`,
    method,
    path: path.replaceAll(/\b[A-Z]+\b/g, 'none'),
  }));

test('Forty stalling bodies of 9.5 MB are refused at once, and take no memory', async ({ outside }) => {
  const { url, app } = outside.lookout;
  await ask(`${url}/sign-in`);
  const before = memoryMb(app.pid);
  const size = 9.5 * 2 ** 20;
  const head = `POST /sign-in HTTP/1.1\r\nHost: lookout\r\nContent-Length: ${size + 1}\r\n\r\n`;
  const lines = await Promise.all(Array.from({ length: 40 }, () => firstLine(url, head + 'x'.repeat(size / 10))));
  // A client that still writes may miss the answer.
  expect([...new Set(lines)].filter((line) => line !== 'cut')).toEqual(['HTTP/1.1 405 Method Not Allowed']);
  expect(memoryMb(app.pid) - before).toBeLessThan(100);
});

test('TRACE, OPTIONS, CONNECT and other targets are refused; what Next would print stays out of the log', async ({
  outside,
}) => {
  const { url, app } = outside.lookout;
  const statusOf = async (line: string) =>
    Number((await firstLine(url, `${line} HTTP/1.1\r\nHost: lookout\r\n\r\n`)).split(' ')[1]);
  for (const [line, status] of [
    ['TRACE /', 405],
    ['OPTIONS *', 405],
    ['OPTIONS /api/live', 405],
    ['CONNECT evil.example:443', 405],
    ['GET http://evil.example/', 400],
    ['GET /_next/image?url=%2Fx%0Aforged&w=64&q=75', 404],
    ['GET /_next/image?url=http%3A%2F%2Fevil.example%2F%0d%0aforged&w=64&q=75', 404],
    ['GET /%5cforged%0a', 404],
  ] as const)
    expect(await statusOf(line), line).toBe(status);
  for (const line of app.stderr().split('\n').filter(Boolean)) expect(() => JSON.parse(line), line).not.toThrow();
  expect(app.stderr()).not.toContain('forged');
});

test('A request to the API that says that it comes from another site is refused on every route, and spends nothing', async ({
  outside,
}) => {
  const { lookout, cookie } = outside;
  await lookout.service.forgetRequests();
  for (const { name, method, path } of ROUTES) {
    for (const site of ['cross-site', 'same-site', 'unknown']) {
      const answer = await ask(`${lookout.url}${path}?bbox=7,46,8,47`, method, {
        cookie,
        'sec-fetch-site': site,
        'sec-fetch-mode': 'navigate',
        origin: lookout.url,
      });
      expect.soft(answer.status, `${name} ${site}`).toBe(403);
      if (method !== 'HEAD')
        expect.soft(errorAnswerSchema.parse(JSON.parse(answer.text)).error.code).toBe('cross_site');
    }
  }
  expect(await lookout.service.requests()).toEqual([]);
  expect((await ask(`${lookout.url}/sign-in`, 'GET', { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
});

test('Every route refuses parameters that it does not know, __proto__ among them, in queries and in bodies', async ({
  outside,
}) => {
  const { lookout, cookie } = outside;
  const sender = { cookie, origin: lookout.url };
  const unknown = ['unknown=1', '__proto__=1', '__proto__[x]=1', 'constructor=1'];
  for (const { name, method, path } of ROUTES) {
    // Absent until an admin makes a read token.
    if (/^\/api\/(features|feeds)\b/.test(path)) continue;
    const takesBody = ['POST', 'PUT', 'PATCH'].includes(method) && !WITHOUT_BODY.includes(name);
    const takesLines = name === 'POST /api/zones/import';
    const headers = { ...sender, 'content-type': takesLines ? 'application/x-ndjson' : 'application/json' };
    const refused = async (query: string, body: string | undefined, code: string) => {
      const answer = await ask(`${lookout.url}${path}${query}`, method, headers, body);
      const what = `${name}${query} ${body ?? ''}: ${answer.status} ${answer.text}`;
      expect.soft(answer.status, what).toBe(400);
      if (method === 'HEAD') return;
      const { error } = errorAnswerSchema.parse(JSON.parse(answer.text));
      expect.soft(error.code, what).toBe(code);
      return error.message;
    };
    for (const query of unknown) await refused(`?${query}`, takesBody ? '{}' : undefined, 'bad_query');
    if (!takesBody) continue;
    await refused('', '{"unknown":1}', 'bad_body');
    for (const body of ['{"__proto__":{"admin":true}}', '{"name":{"__proto__":1}}']) {
      expect.soft(await refused('', body, 'bad_body'), `${name} ${body}`).toContain('__proto__');
    }
  }
  expect((await ask(`${lookout.url}/api/views`, 'GET', { cookie })).status).toBe(200);
});

test('Cookies of one name are each tried; sessions of two operators count for neither until one signs in again', async ({
  outside,
  playwright,
}) => {
  const { lookout, tower, cookie } = outside;
  const [, visitor] = lookout.operators;
  if (!visitor) throw new Error('no second operator');
  const cookieFor = async (operator: OperatorAccount) => {
    const browser = await playwright.request.newContext();
    const made = await cookieOf(browser, lookout, operator);
    await browser.dispose();
    return made;
  };
  const answerWith = (cookies: string) => ask(`${lookout.url}/api/session`, 'GET', { cookie: cookies });
  const statusWith = async (cookies: string) => (await answerWith(cookies)).status;
  const own = await cookieFor(tower);
  const other = await cookieFor(visitor);

  // A neighbouring host or another port can plant cookies over plain http.
  const seals = Array.from({ length: 30 }, (_, index) => cookie.replace(/.{8}~/, `${String(index).padStart(8, 'x')}~`));
  for (const planted of [
    ['lookout=planted'],
    Array.from({ length: 400 }, (_, index) => `lookout=planted${index}`),
    seals,
    ['lookout=', 'lookout', 'lookout=%', 'lookout=Fe26.2**', `lookout="${cookie.slice(8)}"`],
  ]) {
    expect(await statusWith([...planted, cookie].join('; ')), planted[0]).toBe(200);
    expect(await statusWith([cookie, ...planted].join('; ')), planted[0]).toBe(200);
  }
  expect(await statusWith(seals.join('; '))).toBe(401);

  expect(await statusWith(`${cookie}; ${own}`)).toBe(200);
  expect(await statusWith(`${cookie}; ${other}`)).toBe(401);
  expect(await statusWith(`${other}; ${cookie}`)).toBe(401);
  const again = await ask(
    `${lookout.url}/api/session`,
    'POST',
    { cookie: `${other}; ${own}`, origin: lookout.url, 'content-type': 'application/json' },
    JSON.stringify({ name: tower.name, password: tower.password }),
  );
  expect(again.status).toBe(204);
  const [made = ''] = [again.headers['set-cookie'] ?? []].flat().map((each) => each.split(';')[0] ?? '');
  expect(await statusWith(`${other}; ${made}`), 'the planted session has ended').toBe(200);
  expect([await statusWith(other), await statusWith(own), await statusWith(cookie)]).toEqual([401, 401, 200]);

  const signOut = await ask(`${lookout.url}/api/session`, 'DELETE', {
    cookie: `${made}; ${await cookieFor(visitor)}`,
    origin: lookout.url,
  });
  expect(signOut.status).toBe(204);
  expect(signOut.headers['clear-site-data']).toBe('"cache"');
  expect([await statusWith(made), await statusWith(cookie)]).toEqual([401, 200]);
});

test('Addresses with nothing, Next’s internal pages among them, answer 404 with a page of our own', async ({
  outside,
}) => {
  const { lookout, cookie } = outside;
  const paths = ['/nothing', '/_global-error', '/_global-error/', '/_global-error.rsc', '/_not-found', '/sign-in.rsc'];
  for (const path of [...paths, '/basemap/none', '/_next/static/none.js', '/healthz/x']) {
    for (const headers of [{}, { cookie }, { rsc: '1' }]) {
      const answer = await ask(`${lookout.url}${path}`, 'GET', headers);
      expect.soft(answer.status, path).toBe(404);
      expect.soft(answer.text, path).toContain('There is nothing at this address.');
      const [, nonce] = /'nonce-([^']+)'/.exec(String(answer.headers['content-security-policy'])) ?? [];
      const nonces = new Set([...answer.text.matchAll(/nonce="([^"]*)"/g)].map(([, each]) => each));
      expect.soft([...nonces], path).toEqual([nonce]);
    }
  }
});

test('Restricts its files to their owner, under any umask', async ({ outside }) => {
  const strict = await startUnder(0o077, {});
  try {
    await expect.poll(async () => (await ask(`${strict.url}/readyz`)).status).toBe(200);
    for (const { dataDir, folder } of [outside.lookout, strict]) {
      const modes = new Map([dataDir, folder].flatMap((each) => modesIn(each)));
      for (const [path, mode] of modes) expect.soft(mode, path).toBe(lstatSync(path).isDirectory() ? '700' : '600');
      const names = [...modes.keys()].map((path) => basename(path));
      expect(names).toEqual(expect.arrayContaining(['lookout.sqlite']));
      expect(names.some((name) => name.endsWith('-wal'))).toBe(true);
    }
  } finally {
    await strict.stop();
  }
});

test('Answers 1500 random and hostile requests, signed in and not; a refused one costs no upstream request', async ({
  outside,
}) => {
  const { lookout, cookie } = outside;
  await lookout.service.forgetRequests();
  const tally = newTally();
  await flood(lookout.url, { seed: FLOOD_SEED, requests: 1500, cookie, agent, tally });
  expect(tally.failed).toEqual([]);
  expect(tally.accepted).toEqual([]);
  expect(await lookout.service.requests()).toEqual([]);
  expect([...tally.statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405, 413]));
  expect((await ask(`${lookout.url}/api/session`, 'GET', { cookie })).status).toBe(200);
  expect(lookout.app.stderr()).not.toMatch(/"level":(50|60)/);
});

test('Under a spray from 1000 addresses at one account its owner signs in: from a known browser, and from a new one', async ({
  outside,
}) => {
  const { lookout, tower } = outside;
  const signIn = (address: string, password: string, cookie?: string) =>
    ask(
      `${lookout.url}/api/session`,
      'POST',
      {
        origin: lookout.url,
        'content-type': 'application/json',
        // The last entry is the trusted proxy's, the others are forged.
        'x-forwarded-for': `127.0.0.1, 203.0.113.200, ${address}`,
        ...(cookie !== undefined && { cookie }),
      },
      JSON.stringify({ name: tower.name, password }),
    );
  const signedIn = await signIn('203.0.113.1', tower.password);
  expect(signedIn.status).toBe(204);
  const known = [signedIn.headers['set-cookie'] ?? []].flat().find((cookie) => cookie.startsWith('lookout-browser='));
  expect(known).toMatch(/; HttpOnly/i);
  expect(known).toMatch(/; Path=\//);
  // With a real hash, a thousand passwords would take a minute.
  makeHashCheap(join(lookout.dataDir, 'lookout.sqlite'), tower.password);

  const address = (n: number) => (n % 2 === 0 ? `198.18.${n >> 8}.${n & 255}` : `2001:db8:0:${n.toString(16)}::1`);
  const answers: number[] = [];
  const spray = async (round: number, addresses: number) => {
    await Promise.all(
      Array.from({ length: addresses }, async (_, n) => {
        answers.push((await signIn(address(n), `guess ${round} of ${n}, and no password`)).status);
      }),
    );
  };
  await spray(1, 1000);
  const second = spray(2, 200);
  expect((await signIn(address(7), tower.password, known?.split(';')[0])).status).toBe(204);
  expect((await signIn('203.0.113.2', tower.password)).status).toBe(204);
  await second;
  // Each counts for itself, and for its network.
  expect(answers.filter((status) => status === 401)).toHaveLength(1200);
  const oneNetwork: number[] = [];
  for (let n = 0; n < 8; n++) oneNetwork.push((await signIn(`2001:db8:ff:1:${n}::1`, 'no password of anybody')).status);
  expect(oneNetwork.slice(0, 3)).toEqual([401, 401, 401]);
  expect(oneNetwork).toContain(429);
});

/** Under a hash that costs next to nothing. */
function makeHashCheap(file: string, password: string): void {
  const salt = randomBytes(16);
  const cost = { parallelism: 1, tagLength: 32, memory: 8, passes: 1 };
  const tag = argon2Sync('argon2id', { message: password, nonce: salt, ...cost });
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const phc = `$argon2id$v=19$m=8,t=1,p=1$${unpadded(salt)}$${unpadded(tag)}`;
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.prepare('update operator set password = ?').run(phc);
  database.close();
}
