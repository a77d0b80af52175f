import { lstatSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, ask, cookieOf } from '#testing/api-requests.ts';
import { runs } from '#testing/budget.ts';
import { flood, newTally } from '#testing/hostile-requests.ts';
import { ROOT } from './running/child-process.ts';
import { modesIn } from './running/file-modes.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

/** Repeats a failed flood. */
const FLOOD_SEED = 20_261_123;

/** Behind a trusted proxy, with a umask that keeps nothing private. */
let lookout: RunningLookout;
let cookie: string;
beforeAll(async () => {
  const DATA_DIR = join(mkdtempSync(join(tmpdir(), 'lookout-umask-')), 'data');
  const before = process.umask(0o000);
  try {
    lookout = await startLookout({
      operators: ['tower'],
      roles: { tower: 'admin' },
      settings: { TRUSTED_PROXIES: 'loopback', DATA_DIR },
    });
  } finally {
    process.umask(before);
  }
  const [tower] = lookout.operators;
  if (!tower) throw new Error('no operator');
  cookie = await cookieOf(lookout, tower);
});
afterAll(() => lookout.stop());

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => ask(`${lookout.url}${path}`, { headers });

function firstLine(bytes: string): Promise<string> {
  const { hostname, port } = new URL(lookout.url);
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

function memoryMb(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

test('Forty stalling bodies of 9.5 MB are refused at once, and take no memory', async () => {
  await get('/sign-in');
  const before = memoryMb(lookout.app.pid);
  const size = 9.5 * 2 ** 20;
  const head = `POST /sign-in HTTP/1.1\r\nHost: lookout\r\nContent-Length: ${size + 1}\r\n\r\n`;
  const lines = await Promise.all(Array.from({ length: 40 }, () => firstLine(head + 'x'.repeat(size / 10))));
  // A client that still writes may miss the answer.
  expect([...new Set(lines)].filter((line) => line !== 'cut')).toEqual(['HTTP/1.1 405 Method Not Allowed']);
  expect(memoryMb(lookout.app.pid) - before).toBeLessThan(100);
});

test('TRACE, OPTIONS, CONNECT and other targets are refused; what Next would print stays out of the log', async () => {
  const statusOf = async (line: string) =>
    Number((await firstLine(`${line} HTTP/1.1\r\nHost: lookout\r\n\r\n`)).split(' ')[1]);
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
  const log = lookout.app.stderr();
  for (const line of log.split('\n').filter(Boolean)) expect(() => JSON.parse(line), line).not.toThrow();
  expect(log).not.toContain('forged');
});

test('Without a session every page leads to the sign-in form and back, whatever a header claims', async () => {
  const claims = ['middleware', 'proxy', 'src/proxy', Array(5).fill('proxy').join(':')];
  const forged = claims.map((claim) => ({ 'x-middleware-subrequest': claim }));
  for (const headers of [{}, ...forged] as readonly Readonly<Record<string, string>>[]) {
    const page = await get('/?view=1,2,3', headers);
    expect([page.status, page.headers.location]).toEqual([307, '/sign-in?next=%2F%3Fview%3D1%252C2%252C3']);
  }
  expect((await get('/sign-in', { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
});

test('Addresses with nothing, Next’s internal pages among them, answer 404 with a page of our own', async () => {
  const paths = ['/nothing', '/_global-error', '/_global-error/', '/_global-error.rsc', '/_not-found', '/sign-in.rsc'];
  for (const path of [...paths, '/basemap/none', '/_next/static/none.js', '/healthz/x']) {
    for (const headers of [{}, { cookie }, { rsc: '1' }] as readonly Readonly<Record<string, string>>[]) {
      const answer = await get(path, headers);
      expect.soft(answer.status, path).toBe(404);
      expect.soft(answer.text, path).toContain('There is nothing at this address.');
      const nonces = new Set([...answer.text.matchAll(/nonce="([^"]*)"/g)].map(([, each]) => each));
      expect.soft([...nonces], path).toEqual([nonceOf(answer)]);
    }
  }
});

function nonceOf({ headers }: Answer): string | undefined {
  return /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1];
}

test('Restricts its files to their owner, under a umask that restricts nothing', async () => {
  await expect.poll(async () => (await get('/readyz')).status).toBe(200);
  const modes = new Map([lookout.dataDir, lookout.folder].flatMap((each) => modesIn(each)));
  for (const [path, mode] of modes) expect.soft(mode, path).toBe(lstatSync(path).isDirectory() ? '700' : '600');
  const names = [...modes.keys()].map((path) => basename(path));
  expect(names).toEqual(expect.arrayContaining(['lookout.sqlite']));
  expect(names.some((name) => name.endsWith('-wal'))).toBe(true);
});

test('Answers hundreds of random and hostile requests, signed in and not; a refused one costs no upstream request', async () => {
  await lookout.service.forgetRequests();
  const tally = newTally();
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  await flood(lookout.url, { seed: FLOOD_SEED, requests: runs(1500), cookie, agent, tally });
  agent.destroy();
  expect(tally.failed).toEqual([]);
  expect(tally.accepted).toEqual([]);
  expect(await lookout.service.requests()).toEqual([]);
  expect([...tally.statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405, 413]));
  expect((await get('/api/session', { cookie })).status).toBe(200);
  expect(lookout.app.stderr()).not.toMatch(/"level":(50|60)/);
});

function expectSecurityHeaders({ headers }: Answer): void {
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(headers['permissions-policy']).toContain('geolocation=(self)');
  expect(headers['x-powered-by']).toBeUndefined();
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/script-src 'nonce-[A-Za-z0-9+/_=-]{20,}' 'strict-dynamic'/);
  expect(policy).not.toContain('unsafe');
  for (const directive of ['default-src', 'object-src', 'base-uri', 'frame-ancestors'])
    expect(policy).toContain(`${directive} 'none'`);
}

test('Every page has its own nonce, and every answer the security headers', async () => {
  const [script = ''] = /\/_next\/static\/[^"]+\.js/.exec((await get('/', { cookie })).text) ?? [];
  const sent = await get(script, { 'accept-encoding': 'gzip' });
  expect(sent.headers, 'of a script, as it was compressed when it was built').toMatchObject({
    'content-encoding': 'gzip',
    'content-length': String(statSync(join(ROOT, '.next', `${script.slice('/_next/'.length)}.gz`)).size),
  });
  const api = ['/api/live?bbox=5,45,11,48&layers=rid', '/api/live', '/api/none'];
  const paths = [script, '/', '/sign-in', ...api, '/healthz', '/no-page'];
  const nonces = new Set<string | undefined>();
  for (const path of paths) {
    const answer = await get(path, { cookie });
    expectSecurityHeaders(answer);
    nonces.add(nonceOf(answer));
  }
  expect(nonces.size).toBe(paths.length);
});
