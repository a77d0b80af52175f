import { once } from 'node:events';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { createFront, type FrontLimits } from './front.ts';
import type { AnswerPoll } from './live-poll.ts';

let running: Server | undefined;
afterEach(() => {
  running?.closeAllConnections();
  running?.close();
});

interface Passed {
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

async function startFront({
  trustedProxies = [],
  whileAnswering = () => undefined,
  answerPoll,
  session,
  ...limits
}: {
  trustedProxies?: readonly string[];
  whileAnswering?: (response: ServerResponse) => void;
  answerPoll?: AnswerPoll;
  session?: string;
} & Partial<FrontLimits> = {}) {
  const passed: Passed[] = [];
  const server = createFront({
    settings: { tls: false, hstsSubdomains: false, mapStyle: undefined, trustedProxies },
    dev: false,
    answer: async ({ method, url, headers }, response) => {
      passed.push({ method, target: url, headers });
      whileAnswering(response);
      response.end('from Next');
    },
    answerPoll,
    knownSession: () => session,
    onError: (error) => {
      throw error;
    },
    limits,
  });
  running = server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  async function send(text: string, answers = 1): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1');
    await once(socket, 'connect');
    socket.write(text, 'latin1');
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk: string) => {
        received += chunk;
        if ((received.match(/^HTTP\/1\.1 \d/gm)?.length ?? 0) >= answers && /\r\n\r\n/.test(received)) resolve();
      });
      socket.on('error', () => resolve());
      socket.on('close', () => resolve());
    });
    socket.destroy();
    return received;
  }
  const statusOf = async (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(await send(text))?.[1]);
  return { server, port, passed, send, statusOf };
}

const head = (line: string, ...headers: readonly string[]) =>
  [`${line} HTTP/1.1`, ...(headers.some((header) => /^host:/i.test(header)) ? [] : ['Host: lookout']), ...headers].join(
    '\r\n',
  );
const whole = (line: string, ...headers: readonly string[]) => `${head(line, ...headers)}\r\n\r\n`;

describe('the front', () => {
  test('sends the headers with the first piece of the answer, however early Next flushes them', async () => {
    let sentBefore: boolean | undefined;
    const { send } = await startFront({
      whileAnswering: (response) => {
        response.flushHeaders();
        sentBefore = response.headersSent;
      },
    });
    expect(await send(whole('GET /'))).toContain('from Next');
    expect(sentBefore).toBe(false);
  });

  test('lets pages be read and the API be called', async () => {
    const { passed, statusOf } = await startFront();
    for (const line of ['GET /', 'HEAD /sign-in?next=%2F', 'GET /_next/static/a%20b.js', 'DELETE /api/session'])
      expect(await statusOf(whole(line)), line).toBe(200);
    expect(await statusOf(`${whole('POST /api/session', 'Content-Length: 2')}{}`)).toBe(200);
    expect(passed.map(({ method, target }) => `${method} ${target}`)).toContain('HEAD /sign-in?next=%2F');
    expect(passed).toHaveLength(5);
  });

  test.each([
    ['TRACE /', 405],
    ['TRACE /api/live', 405],
    ['OPTIONS *', 405],
    ['OPTIONS /api/live', 405],
    ['CONNECT evil.example:443', 405],
    ['POST /', 405],
    ['POST /sign-in', 405],
    ['PUT /healthz', 405],
    ['PROPFIND /api/live', 405],
    ['GET /_next/image?url=%2Ficon.svg&w=64&q=75', 404],
    ['GET /_next/data/x.json', 404],
    ['GET /api/status?__proto__=1', 400],
    ['GET /api/status?a=1&%5f_proto__=1', 400],
    ['GET http://evil.example/', 400],
    ['GET //evil.example/', 400],
    ['GET /a\\b', 400],
    ['GET /%', 400],
    ['GET /%00', 400],
    ['GET /%ff', 400],
    ['GET /api/../sign-in', 400],
    ['GET /api/%2e%2E/sign-in', 400],
    [`GET /${'a'.repeat(20_000)}`, 431],
  ])('%s is answered %i and never reaches Next', async (line, status) => {
    const { passed, statusOf } = await startFront();
    expect(await statusOf(whole(line))).toBe(status);
    expect(passed).toEqual([]);
  });

  test('the API refuses every Sec-Fetch-Site but those of its own pages and of the address bar; pages refuse none', async () => {
    const { passed, statusOf } = await startFront();
    const sent = (line: string, site: string) => statusOf(whole(line, `Sec-Fetch-Site: ${site}`));
    for (const site of ['cross-site', 'same-site', '', 'unknown', 'Same-Origin', 'same-origin, cross-site', 'null']) {
      expect(await sent('GET /api/history?bbox=1,2,3,4', site)).toBe(403);
      expect(await sent('GET /api', site)).toBe(403);
      expect(await sent('DELETE /api/session', site)).toBe(403);
    }
    expect(passed).toEqual([]);
    for (const [line, site] of [
      ['GET /?view=1', 'cross-site'],
      ['GET /sign-in', 'same-site'],
      ['GET /sign-in', 'unknown'],
      ['GET /api/live', 'same-origin'],
      ['GET /api/live', 'none'],
    ] as const)
      expect(await sent(line, site), `${line} ${site}`).toBe(200);
  });

  test.each(['Host: ', 'Host: a b', 'Host: a/b', 'Host: a@b', 'Host: a\r\nHost: b', 'Host: [', 'Host: a:b', 'Host: ä'])(
    '%j is no name to answer to',
    async (host) => {
      const { passed, statusOf } = await startFront();
      expect(await statusOf(whole('GET /', host))).toBe(400);
      expect(passed).toEqual([]);
    },
  );

  test.each(['lookout', 'lookout.example:3000', '127.0.0.1:80', '[::1]:3000', 'under_score'])(
    'Host: %s is answered',
    async (host) => {
      const { statusOf } = await startFront();
      expect(await statusOf(whole('GET /', `Host: ${host}`))).toBe(200);
    },
  );

  test('a body is refused before it comes, where none is read, and the connection ends', async () => {
    const { passed, server, send } = await startFront();
    const stalled = ['POST /sign-in', 'GET /', 'GET /api/live', 'POST /api/session'].map((line) =>
      send(`${head(line, `Content-Length: ${9.5 * 2 ** 20}`)}\r\n\r\n${'x'.repeat(100_000)}`),
    );
    const chunked = send(`${whole('POST /api/session', 'Transfer-Encoding: chunked')}5\r\nabcde\r\n`);
    const answers = await Promise.all([...stalled, chunked]);
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['405', '413', '413', '413', '400']);
    for (const answer of answers) expect(answer.toLowerCase()).toContain('connection: close');
    expect(passed).toEqual([]);
    await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
  });

  test('a refused body that goes on or stalls ends the connection in time', async () => {
    const { port } = await startFront({ lingerMs: 200 });
    const refused = whole('POST /sign-in', `Content-Length: ${2 ** 30}`);
    const stalled = connect(port, '127.0.0.1');
    stalled.write(refused);
    expect((await stalled.setEncoding('latin1').toArray()).join('')).toMatch(/^HTTP\/1\.1 405 /);

    const endless = connect(port, '127.0.0.1');
    endless.write(refused);
    const more = Buffer.alloc(2 ** 16);
    const goOn = (broken?: Error | null) => broken ?? endless.write(more, goOn);
    goOn();
    const [error] = await once(endless, 'error');
    expect(error).toMatchObject({ syscall: 'write' });
  });

  test('a client that sends all of a refused body first can still read the whole answer', async () => {
    const { port, passed } = await startFront();
    const length = 8 * 2 ** 20;
    for (const line of ['POST /sign-in', 'POST /api/views']) {
      const socket = connect(port, '127.0.0.1');
      socket.write(whole(line, `Content-Length: ${length}`));
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.write(Buffer.alloc(length), () => resolve());
      });
      const chunks = await socket.setEncoding('latin1').toArray();
      expect(chunks.join('')).toMatch(/^HTTP\/1\.1 4\d\d .+\{"error":\{.+\}$/s);
    }
    expect(passed).toEqual([]);
  });

  test('a long body reaches the import of zones alone, before all of it has arrived', async () => {
    const { passed, statusOf } = await startFront();
    const long = `Content-Length: ${20 * 2 ** 20}`;
    expect(await statusOf(whole('POST /api/zones', long))).toBe(413);
    expect(await statusOf(whole('POST /api/zones/import', `Content-Length: ${40 * 2 ** 20}`))).toBe(413);
    expect(passed).toEqual([]);
    expect(await statusOf(whole('POST /api/zones/import', long))).toBe(200);
    expect(passed.map(({ target }) => target)).toEqual(['/api/zones/import']);
  });

  test('refuses two lengths, or a length together with chunks', async () => {
    const { passed, statusOf } = await startFront();
    for (const headers of [
      ['Content-Length: 2', 'Content-Length: 3'],
      ['Content-Length: 2', 'Transfer-Encoding: chunked'],
      ['Content-Length: -1'],
      ['Content-Length : 2'],
      ['Transfer-Encoding: identity, chunked', 'Content-Length: 0'],
    ]) {
      expect(await statusOf(`${whole('POST /api/session', ...headers)}{}`), headers.join()).toBe(400);
    }
    expect(passed).toEqual([]);
  });

  test('headers and bodies that do not come end in time', async () => {
    const { send } = await startFront({ headersMs: 100, requestMs: 200 });
    expect(await send(head('GET /', 'Slow: '))).toMatch(/^HTTP\/1\.1 408 /);
    expect(await send(`${whole('POST /api/session', 'Content-Length: 100')}{`)).toMatch(/^HTTP\/1\.1 (200|408) /);
    const { server } = await startFront();
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 20_000]);
  });

  test('connections are bounded, for all and for each address', async () => {
    const { port, server, statusOf } = await startFront({ connectionsOfPeer: 3 });
    const open = [1, 2, 3].map(() => connect(port, '127.0.0.1'));
    await Promise.all(open.map((socket) => once(socket, 'connect')));
    expect(await statusOf(whole('GET /'))).toBeNaN();
    open[0]?.destroy();
    await expect.poll(() => statusOf(whole('GET /'))).toBe(200);
    for (const socket of open) socket.destroy();
    expect(server.maxConnections).toBeGreaterThan(0);
  });

  test('a client that takes nothing of an answer is cut after half a minute', async () => {
    let stepMs: number | undefined;
    const whileAnswering = ({ socket }: ServerResponse) => {
      stepMs = socket?.timeout;
    };
    const { statusOf } = await startFront({ whileAnswering });
    expect(await statusOf(whole('GET /'))).toBe(200);
    expect(stepMs).toBe(10_000);
  });

  test('removes Next’s internal headers and forwarded ones from requests', async () => {
    const { passed, statusOf } = await startFront();
    const orders = [
      'x-middleware-subrequest',
      'x-middleware-rewrite',
      'x-matched-path',
      'x-nextjs-data',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-invoke-status',
      'x-lookout-peer',
      'forwarded',
    ];
    await statusOf(whole('GET /', ...orders.map((name) => `${name}: forged`), 'Content-Security-Policy: forged'));
    const { headers } = passed[0] as Passed;
    expect(JSON.stringify(headers)).not.toContain('forged');
    expect(headers['x-lookout-peer']).toBe('127.0.0.1');
  });

  test('the router state of a page reaches Next only if Next can read it', async () => {
    const { passed, statusOf } = await startFront();
    const rendered = encodeURIComponent(JSON.stringify(['', { children: ['__PAGE__', {}] }]));
    for (const state of [rendered, '[', '%', '%5B%22%22%5D', '{}'])
      await statusOf(whole('GET /', 'RSC: 1', `Next-Router-State-Tree: ${state}`));
    await statusOf(whole('GET /api/live', 'RSC: 1', `Next-Router-State-Tree: ${rendered}`));
    expect(passed.map(({ headers }) => [headers.rsc, headers['next-router-state-tree']])).toEqual([
      ['1', rendered],
      ...Array.from({ length: 5 }, () => [undefined, undefined]),
    ]);
  });

  test('gives each answer its own nonce, and passes it to Next', async () => {
    const { passed, send } = await startFront();
    const answers = [await send(whole('GET /')), await send(whole('GET /')), await send(whole('TRACE /'))];
    const policies = answers.map((answer) => /^content-security-policy: (.*)\r$/im.exec(answer)?.[1]);
    expect(new Set(policies.map((policy) => /'nonce-([^']{22})'/.exec(policy ?? '')?.[1])).size).toBe(3);
    expect(passed.map(({ headers }) => headers['content-security-policy'])).toEqual(policies.slice(0, 2));
    for (const answer of answers) expect(answer.toLowerCase()).toContain('x-content-type-options: nosniff');
  });

  test('the sender of a request is the nearest address that is not trusted', async () => {
    const { passed, statusOf } = await startFront({ trustedProxies: ['loopback', '10.0.0.0/8'] });
    await statusOf(whole('GET /', 'X-Forwarded-For: 198.51.100.1, 203.0.113.9', 'X-Forwarded-For: 10.1.2.3'));
    expect(passed[0]?.headers['x-lookout-peer']).toBe('203.0.113.9');
    const { passed: untrusted, statusOf: sent } = await startFront();
    await sent(whole('GET /', 'X-Forwarded-For: 203.0.113.9'));
    expect(untrusted[0]?.headers['x-lookout-peer']).toBe('127.0.0.1');
  });

  test('a change of protocol is not offered: the request is answered like any other', async () => {
    const { statusOf } = await startFront();
    expect(await statusOf(whole('GET /', 'Connection: Upgrade', 'Upgrade: websocket'))).toBe(200);
    expect(await statusOf(whole('GET /', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'))).toBe(200);
  });

  test('a poll is answered by its handler, with the headers of both; all else at its address is up to Next', async () => {
    const polls: Request[] = [];
    const { passed, send, statusOf } = await startFront({
      answerPoll: async (request) => {
        polls.push(request);
        return new Response(Uint8Array.of(0xe9, 0, 0xff), {
          status: 429,
          headers: { 'content-type': COMPACT_LIVE_TYPE },
        });
      },
    });
    const accept = `Accept: ${COMPACT_LIVE_TYPE}`;
    const answer = await send(
      whole('GET /api/live?bbox=8,47,9,48', accept, 'X-Request-ID: request-1', 'X-Lookout-Peer: me'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(answer.split('\r\n\r\n')[1]).toBe('\u00e9\u0000\u00ff');
    expect(answer).toMatch(new RegExp(`^content-type: ${COMPACT_LIVE_TYPE}\\r$`, 'm'));
    expect(answer.toLowerCase()).toMatch(/^content-length: 3\r$/m);
    expect(answer.toLowerCase()).toContain('\r\nx-content-type-options: nosniff\r\n');
    const [poll] = polls;
    expect(new URL(poll?.url ?? '').search).toBe('?bbox=8,47,9,48');
    expect([poll?.headers.get('host'), poll?.headers.get('x-request-id')]).toEqual(['lookout', 'request-1']);
    expect(poll?.headers.get('x-lookout-peer')).toBe('127.0.0.1');
    expect(await statusOf(whole('GET /api/live', accept)), 'the handler refuses it').toBe(429);
    for (const line of ['HEAD /api/live', 'DELETE /api/live', 'GET /api/live/', 'GET /api/lives', 'GET /api/trails'])
      expect(await statusOf(whole(line, accept)), line).toBe(200);
    expect(await statusOf(whole('GET /api/live', 'Accept: */*'))).toBe(200);
    expect([polls.length, passed.length]).toEqual([2, 6]);
  });

  test('accepts many connections although those that it has keep it busy', async () => {
    const { port } = await startFront({ session: 'open', answerPoll: async () => new Response('poll') });
    let polls = 0;
    const keepPolling = () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      const poll = () => socket.write(whole('GET /api/live', `Accept: ${COMPACT_LIVE_TYPE}`));
      poll();
      socket.on('data', () => {
        polls++;
        poll();
      });
      return once(socket, 'data');
    };
    const connections = 50;
    const open = () => Promise.all(Array.from({ length: connections }, keepPolling));
    await open();
    const before = polls;
    await open();
    // 178; with a whole round of the others for each accepted connection, 1950.
    expect(polls - before).toBeLessThan(6 * connections);
  });

  test('passes every poll to its handler, or refuses it', async () => {
    const { statusOf } = await startFront({ answerPoll: async ({ url }) => new Response(url) });
    const target = fc.string({ unit: fc.constantFrom(...'?&=%2e[]{}|^`<>"\'#:@,;+é\\/'), maxLength: 24 });
    const value = fc.string({ unit: fc.constantFrom(...'a;=, "%\t\u0080\u00ff\u0001'), maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(target, value, async (query, cookie) => {
        const line = `GET /api/live?${query}`;
        const status = await statusOf(whole(line, `Accept: ${COMPACT_LIVE_TYPE}`, `Cookie: ${cookie}`, `Cookie: b`));
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 200 },
    );
  });

  test('the answer to any request is a refusal, or Next’s own', async () => {
    const { statusOf } = await startFront({ headersMs: 200, requestMs: 400 });
    const token = fc.string({ unit: fc.constantFrom(...'/\\.%2e?&=#*:@[]{}"\'<>aé \t\u0000'), maxLength: 24 });
    const method = fc.constantFrom('GET', 'POST', 'TRACE', 'OPTIONS', 'FOO', 'get');
    await fc.assert(
      fc.asyncProperty(method, token, token, async (verb, target, value) => {
        const status = await statusOf(`${verb} /${target} HTTP/1.1\r\nHost: a\r\nX: ${value}\r\n\r\n`);
        expect([200, 400, 405, 408, 413]).toContain(status);
      }),
      { numRuns: 100 },
    );
  });
});

test('The head of a request reaches the route of the doctor alone, and not as a client writes it', async () => {
  const { send, passed } = await startFront({ session: 'known' });
  for (const path of ['/api/admin/doctor', '/api/account'])
    await send(`GET ${path} HTTP/1.1\r\nHost: lookout.example\r\nX-Lookout-Seen: forged\r\nConnection: close\r\n\r\n`);
  const [doctor, other] = passed.map(({ headers }) => headers['x-lookout-seen']);
  expect(decodeURIComponent(String(doctor))).toContain('"host":"lookout.example"');
  expect(other).toBeUndefined();
});
