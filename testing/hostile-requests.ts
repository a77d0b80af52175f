import { type Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';

interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface FloodTally {
  requests: number;
  /** 0 for no answer, right only if the bytes are no request. */
  readonly statuses: Map<number, number>;
  /** Answered although the request costs the upstream something. */
  readonly accepted: string[];
  readonly failed: string[];
}

const CUT = -1;

const NASTY = [
  '',
  '0',
  '-1',
  '1e308',
  'NaN',
  'null',
  '%00',
  '%0d%0aX:%20y',
  '..%2f..%2fetc%2fpasswd',
  '<script>',
  "' or 1=1--",
  '__proto__',
  '%ff%fe',
  '\u{1f6e9}',
  'a'.repeat(3000),
  '5,45,11',
  '200,100,300,200',
  '%',
];
const NAMES = [
  'bbox',
  'layers',
  'start',
  'end',
  'centre',
  'page',
  'since',
  'q',
  'name',
  'format',
  'x',
  '__proto__',
  'constructor',
  'toString',
  'bbox[]',
];
/** Valid, except the part that is then broken. */
const WINDOW = 'start=2026-11-20T10:00:00Z&end=2026-11-20T10:10:00Z';
const COSTLY = [
  'live?bbox=5,45,11,48&layers=rid,adsb',
  `history?bbox=7,46,8,47&layers=adsb&${WINDOW}`,
  `history/cost?bbox=7,46,8,47&layers=adsb&${WINDOW}`,
  `export?format=csv&bbox=7,46,8,47&layers=adsb&${WINDOW}`,
  'trails?bbox=5,45,11,48&layers=adsb',
];
const PATHS = [
  '/',
  '/sign-in',
  '/healthz',
  '/metrics',
  '/api',
  '/api/',
  '/api/none',
  '/api/session',
  '/api/status',
  '/api/views',
  '/api/views/start',
  '/api/views/none',
  '/api/overlays',
  '/api/overlays/none',
  '/api/places',
  '/api/maps',
  '/api/history/seek',
  '/_next/image',
  '/_next/static/none.js',
  '/_next/data/x.json',
  '/basemap/none',
  '/.env',
  '/wp-login.php',
  '/api/%6cive',
  '/API/live',
  '//evil.example',
  '/a/../api/live',
  '/%2e%2e/key',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];
const BODIES = [
  '{}',
  '[]',
  'null',
  '{',
  '{"name":1}',
  '{"__proto__":{"role":"admin"}}',
  `{"name":"${'n'.repeat(5000)}"}`,
  '{"recheck":"everything"}',
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  '\u0000',
  'a=b&c=d',
  '{"id":"../../x","name":null,"query":{}}',
];

/** Those that would cost the upstream something are invalid or not allowed. */
function hostileRequest(dice: Dice, cookie: string, origin: string): HostileRequest {
  const headers: Record<string, string> = {};
  if (dice.chance(0.6)) headers.cookie = cookie;
  if (dice.chance(0.3)) headers.origin = dice.pick([origin, 'https://evil.example', 'null', '']);
  if (dice.chance(0.2)) headers['x-forwarded-for'] = dice.pick(['127.0.0.1', '::1', "' or 1=1", 'a, b, c']);
  if (dice.chance(0.1)) headers['x-middleware-subrequest'] = 'middleware:middleware:middleware';
  if (dice.chance(0.1)) headers.accept = dice.pick(['*/*', 'application/vnd.lookout.live', 'text/html', ',,,']);
  if (dice.chance(0.1)) headers.rsc = '1';
  if (dice.chance(0.1)) headers['next-router-state-tree'] = dice.pick(['%', '[', '%5B%22%22%5D', 'x'.repeat(500)]);
  if (dice.chance(0.1)) headers['next-action'] = dice.pick(['x', '0'.repeat(40)]);
  if (dice.chance(0.1)) headers.range = dice.pick(['bytes=0-', 'bytes=-1', 'bytes=9-1', 'x']);
  if (dice.chance(0.4)) return costly(dice, headers);
  const method = dice.pick(METHODS);
  const query = dice.chance(0.5) ? `?${dice.pick(NAMES)}=${encodedOnce(dice.pick(NASTY))}` : '';
  const path = dice.pick(PATHS);
  const target = `${path}${query}`;
  if (path === '/api/session') delete headers.cookie;
  if (method === 'GET' || method === 'HEAD' || dice.chance(0.2)) return { method, target, headers };
  headers['content-type'] = dice.pick(['application/json', 'text/plain', 'multipart/form-data; boundary=x', '']);
  return { method, target, headers, body: dice.pick(BODIES) };
}

/** One part is not allowed. */
function costly(dice: Dice, headers: Record<string, string>): HostileRequest {
  const target = `/api/${dice.pick(COSTLY)}`;
  const broken: (() => HostileRequest)[] = [
    () => ({
      method: 'GET',
      target,
      headers: { ...headers, 'sec-fetch-site': dice.pick(['cross-site', 'same-site']) },
    }),
    () => ({ method: 'GET', target, headers: { ...headers, cookie: 'lookout=forged' } }),
    () => ({ method: dice.pick(['POST', 'PUT', 'TRACE', 'OPTIONS']), target, headers }),
    () => ({ method: 'GET', target: `${target}&${dice.pick(NAMES.slice(10))}=1`, headers }),
    () => ({ method: 'GET', target: `${target}&bbox=5,45,11,48`, headers }),
    () => ({ method: 'GET', target: target.replace(/bbox=[^&]+/, `bbox=${encodedOnce(dice.pick(NASTY))}`), headers }),
    () => ({ method: 'GET', target: target.replace(/layers=[^&]+/, 'layers=boats'), headers }),
    () => ({ method: 'GET', target, headers: { ...headers, host: dice.pick(['a b', 'a@b', 'a/b']) } }),
    () => ({ method: 'GET', target, headers, body: '{}' }),
  ];
  return dice.pick(broken)();
}

/** Keeps existing escapes. */
function encodedOnce(text: string): string {
  return text.replaceAll(/[^!-~]/gu, encodeURIComponent);
}

function garbage(dice: Dice): Buffer {
  const host = 'Host: lookout\r\n';
  return dice.pick([
    () => Buffer.from(Array.from({ length: dice.integer(1, 300) }, () => dice.integer(0, 255))),
    () => Buffer.from(`GET / HTTP/1.1\r\n${host}${host}\r\n`),
    () => Buffer.from(`GET / HTTP/9.9\r\n${host}\r\n`),
    () => Buffer.from(`GET /\u0000 HTTP/1.1\r\n${host}\r\n`),
    () =>
      Buffer.from(
        `POST /api/session HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
    () => Buffer.from(`POST /api/session HTTP/1.1\r\n${host}Content-Length: 9999999\r\n\r\n${'x'.repeat(2000)}`),
    () => Buffer.from(`GET / HTTP/1.1\r\n${host}X: ${'y'.repeat(20_000)}\r\n\r\n`),
    () =>
      Buffer.from(`GET / HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n`),
    () => Buffer.from(`CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`),
    () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  ])();
}

/** One in twenty are bytes that are no request. */
export async function flood(
  url: string,
  {
    seed,
    requests,
    cookie,
    agent,
    tally,
  }: { seed: number; requests: number; cookie: string; agent: Agent; tally: FloodTally },
): Promise<void> {
  const dice = makeDice(seed);
  let left = requests;
  const send = async () => {
    while (left-- > 0) {
      tally.requests++;
      if (dice.chance(0.05)) {
        count(tally, await sendBytes(url, garbage(dice)), undefined);
      } else {
        const hostile = hostileRequest(dice, cookie, url);
        count(tally, await sendRequest(url, hostile, agent), hostile);
      }
    }
  };
  await Promise.all(Array.from({ length: agent.maxSockets }, send));
}

function count(tally: FloodTally, status: number, hostile: HostileRequest | undefined): void {
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  const what = `${status} ${JSON.stringify(hostile)
    ?.replace(/Fe26[^"]+/, '…')
    .slice(0, 400)}`;
  if (status >= 500 || (status === 0 && hostile)) tally.failed.push(what);
  if (status < 400 && hostile && COSTLY.some((path) => hostile.target.startsWith(`/api/${path.split('?')[0]}?`)))
    tally.accepted.push(what);
}

export function newTally(): FloodTally {
  return { requests: 0, statuses: new Map(), accepted: [], failed: [] };
}

function sendRequest(url: string, { method, target, headers, body }: HostileRequest, agent: Agent): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = httpRequest(
      { hostname, port, path: target, method, agent, headers: { ...headers, ...length } },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', () => resolve(answer.statusCode ?? 0));
      },
    );
    // A refused body or a reused connection may end it before the answer is read.
    sent.once('error', () => resolve(body !== undefined || sent.reusedSocket ? CUT : 0));
    sent.end(body);
  });
}

function sendBytes(url: string, bytes: Buffer): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    let status = 0;
    socket.on('data', (chunk) => {
      status ||= Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1] ?? 0);
    });
    socket.once('error', () => resolve(status));
    socket.once('close', () => resolve(status));
  });
}
