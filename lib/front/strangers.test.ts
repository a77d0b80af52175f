import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { RETURN_PATH_HEADER } from '#lib/api/people/return-path.ts';
import { eventually } from '#testing/eventually.ts';
import { createFront, type FrontLimits } from './front.ts';
import type { PageState } from './page-cache.ts';

let running: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  running?.closeAllConnections();
  running?.close();
});

const POLL = `Accept: ${COMPACT_LIVE_TYPE}`;
const SESSION = 'Cookie: session=1';

interface Rendering {
  readonly target: string;
  readonly returnPath: unknown;
  finish(status?: number): void;
}

async function startFront(limits: Partial<FrontLimits> = {}, trustedProxies: readonly string[] = []) {
  const rendering: Rendering[] = [];
  const rendered: string[] = [];
  let most = 0;
  const state: { page: PageState } = { page: { key: 'plain', target: '/sign-in' } };
  const server = createFront({
    settings: { tls: false, hstsSubdomains: false, mapStyle: undefined, trustedProxies },
    dev: false,
    answer: (request: IncomingMessage, response: ServerResponse) =>
      new Promise((resolve) => {
        const target = request.url ?? '';
        const nonce = /'nonce-([^']+)'/.exec(String(request.headers['content-security-policy']))?.[1];
        rendering.push({
          target,
          returnPath: request.headers[RETURN_PATH_HEADER],
          finish: (status = target === '/_not-found' ? 404 : 200) => {
            rendering.splice(
              rendering.findIndex((each) => each.target === target),
              1,
            );
            rendered.push(target);
            response.statusCode = status;
            response.setHeader('content-type', 'text/html');
            response.write(`<script nonce="${nonce}">`);
            response.end(`${target}</script><script nonce="${nonce}">`);
            resolve();
          },
        });
        most = Math.max(most, rendering.length);
      }),
    answerPoll: async () => new Response('poll'),
    knownSession: ({ cookies }) => (cookies.includes('session=1') ? 'session' : undefined),
    signInState: async () => state.page,
    kindOf: (path) => (path.startsWith('/none') ? 'none' : path.startsWith('/api') ? 'other' : 'page'),
    onError: (error) => {
      throw error;
    },
    limits,
  });
  running = server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  function send(line: string, ...headers: readonly string[]) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    const sent = { socket, text: '' };
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      sent.text += chunk;
    });
    socket.on('error', () => {});
    socket.write(`${[`${line} HTTP/1.1`, 'Host: lookout', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`);
    return sent;
  }
  async function answerTo(line: string, ...headers: readonly string[]): Promise<string> {
    const sent = send(line, ...headers);
    await once(sent.socket, 'close');
    return sent.text;
  }
  const finishAll = async (isDone: () => boolean) => {
    await eventually(() => {
      for (const each of [...rendering]) each.finish();
      expect(isDone()).toBe(true);
    });
  };
  return { send, answerTo, rendering, rendered, most: () => most, state, finishAll };
}

describe('requests without a session', () => {
  test('a poll, a health check and an operator’s page are answered while a hundred of them wait', async () => {
    const { send, answerTo, rendering, most, finishAll } = await startFront({ pagesAtOnce: 2 });
    const strangers = Array.from({ length: 100 }, (_, index) =>
      send(`GET /${['', 'account', 'none', 'api/none'][index % 4]}?${index}`),
    );
    await eventually(() => expect(rendering.length).toBeGreaterThan(0));
    expect(await answerTo('GET /api/live?x', POLL, SESSION)).toContain('poll');
    expect(await answerTo('GET /healthz')).toMatch(/^HTTP\/1\.1 200 [\s\S]*ok\n$/);
    expect(strangers.filter(({ text }) => text !== '')).toEqual([]);

    const page = send('GET /admin', SESSION);
    await finishAll(() => page.text !== '');
    expect(strangers.filter(({ text }) => text === '').length).toBeGreaterThan(0);
    await finishAll(() => strangers.every(({ text }) => text !== ''));
    expect(most()).toBeLessThanOrEqual(4);
  });

  test('pages render a few at a time, those of operators included', async () => {
    const { send, most, finishAll } = await startFront({ pagesAtOnce: 2 });
    const pages = Array.from({ length: 12 }, () => send('GET /', SESSION));
    await finishAll(() => pages.every(({ text }) => text !== ''));
    expect(most()).toBe(2);
  });

  test('an address that floods delays another by one request', async () => {
    const { send, rendering, rendered, finishAll } = await startFront(
      { strangersAtOnce: 1, strangersAtOnceOfAddress: 1 },
      ['loopback'],
    );
    const flood = Array.from({ length: 30 }, (_, index) =>
      send(`GET /api/flood?${index}`, `X-Forwarded-For: 2001:db8::${index}`),
    );
    await eventually(() => expect(rendering).toHaveLength(1));
    const other = send('GET /api/other', 'X-Forwarded-For: 2001:db8:0:1::1');
    const mark = send('GET /api/live', POLL, SESSION);
    await eventually(() => expect(mark.text).toContain('poll'));
    await finishAll(() => other.text !== '');
    expect(rendered.indexOf('/api/other')).toBeLessThanOrEqual(2);
    await finishAll(() => flood.every(({ text }) => text !== ''));
  });

  test('more than may wait are refused with 429 and when to try again', async () => {
    const { send, answerTo, rendering } = await startFront({ strangersAtOnceOfAddress: 1, waitingOfSender: 2 });
    send('GET /api/a');
    await eventually(() => expect(rendering).toHaveLength(1));
    const waiting = [send('GET /api/b'), send('GET /api/c')];
    const refused = await eventually(async () => {
      const text = await answerTo('TRACE /');
      expect(text).toMatch(/^HTTP\/1\.1 429 /);
      return text;
    });
    expect(refused.toLowerCase()).toMatch(/^retry-after: [1-9]\d*\r$/m);
    expect(refused).toContain('too_many_requests');
    expect(waiting.map(({ text }) => text)).toEqual(['', '']);
    expect(await answerTo('GET /api/live', POLL, SESSION)).toContain('poll');
  });

  test('a stranger’s poll waits its turn like any other request', async () => {
    const { send, rendering, answerTo } = await startFront({ strangersAtOnceOfAddress: 1 });
    send('GET /api/a');
    await eventually(() => expect(rendering).toHaveLength(1));
    const poll = send('GET /api/live', POLL, 'Cookie: session=forged');
    expect(await answerTo('GET /api/live', POLL, SESSION)).toContain('poll');
    expect(poll.text).toBe('');
    rendering[0]?.finish();
    await eventually(() => expect(poll.text).toContain('poll'));
  });

  test('a body that stalls takes no place', async () => {
    const { send, answerTo, rendering, finishAll } = await startFront({ strangersAtOnceOfAddress: 1 });
    const stalled = Array.from({ length: 8 }, () => send('POST /api/session', 'Content-Length: 10'));
    const whole = send('POST /api/session?whole', 'Content-Length: 2');
    whole.socket.write('{}');
    await finishAll(() => whole.text !== '');
    expect(await answerTo('GET /api/live', POLL, SESSION)).toContain('poll');
    expect(rendering).toEqual([]);
    stalled[0]?.socket.write('0123456789');
    await finishAll(() => stalled[0]?.text !== '');
  });

  test.each([0, 1000, 65_536, 65_537, BODY_MAX_BYTES])('a body of %i bytes arrives', async (bytes) => {
    const { rendering, send } = await startFront();
    const sent = send('POST /api/views', `Content-Length: ${bytes}`);
    sent.socket.write('x'.repeat(bytes));
    await eventually(() => expect(rendering).toHaveLength(1));
    rendering[0]?.finish();
  });

  test('a client that leaves frees its place, waiting or not', async () => {
    const { send, rendering, finishAll } = await startFront({ strangersAtOnceOfAddress: 1 });
    const first = send('GET /api/first');
    await eventually(() => expect(rendering).toHaveLength(1));
    const gone = send('GET /api/gone');
    const last = send('GET /api/last');
    const mark = send('GET /api/live', POLL, SESSION);
    await eventually(() => expect(mark.text).toContain('poll'));
    gone.socket.destroy();
    first.socket.destroy();
    await eventually(() => expect(rendering.map(({ target }) => target)).toEqual(['/api/first', '/api/last']));
    await finishAll(() => last.text !== '');
  });

  test('a reader that takes nothing of a page frees its place when the page is rendered', async () => {
    const { send, rendering, finishAll } = await startFront({ strangersAtOnceOfAddress: 1, pagesAtOnce: 1 });
    const slow = send('GET /a');
    slow.socket.pause();
    const next = send('GET /b');
    await finishAll(() => next.text !== '');
    expect(rendering).toEqual([]);
  });

  test('a second request before the first answer ends the connection', async () => {
    const { send, rendering } = await startFront();
    const first = send('GET /api/a');
    await eventually(() => expect(rendering).toHaveLength(1));
    first.socket.write('GET /api/b HTTP/1.1\r\nHost: lookout\r\n\r\n');
    await once(first.socket, 'close');
    expect(rendering).toHaveLength(1);
  });
});

describe('kept pages', () => {
  const noncesOf = (text: string) => [...text.matchAll(/nonce="([^"]*)"/g)].map(([, nonce]) => nonce);
  const policyNonce = (text: string) => /'nonce-([^']+)'/.exec(text)?.[1];

  test('the sign-in page is rendered once for all, with the nonce of each answer and nothing of any address', async () => {
    const { send, answerTo, rendered, finishAll } = await startFront();
    const first = send('GET /sign-in?next=%2F%3Fview%3Dsecret', 'RSC: 1');
    await finishAll(() => first.text !== '');
    const answers = [first.text, await answerTo('GET /sign-in?next=%2Fa'), await answerTo('GET /sign-in')];
    expect(rendered).toEqual(['/sign-in']);
    for (const answer of answers) {
      const nonces = noncesOf(answer);
      expect(nonces).toHaveLength(2);
      expect(new Set(nonces)).toEqual(new Set([policyNonce(answer)]));
      expect(answer).toContain('/sign-in</script>');
      expect(answer.toLowerCase()).toContain('content-type: text/html');
    }
    expect(new Set(answers.map(policyNonce)).size).toBe(3);
    expect(await answerTo('HEAD /sign-in')).toMatch(/\r\n\r\n$/);
  });

  test('sends an operator who has signed in meanwhile to the page in the address', async () => {
    const { send, rendering, finishAll } = await startFront();
    const page = send('GET /sign-in?next=%2Faccount%3Fx%3D1', `${RETURN_PATH_HEADER}: /forged`);
    await eventually(() => expect(rendering).toHaveLength(1));
    expect(rendering[0]).toMatchObject({ target: '/sign-in', returnPath: '/account?x=1' });
    await finishAll(() => page.text !== '');
  });

  test('each state has its own page', async () => {
    const { send, answerTo, rendered, state, finishAll } = await startFront();
    const plain = send('GET /sign-in');
    await finishAll(() => plain.text !== '');
    state.page = { key: 'the provider is down', target: '/sign-in?problem=unreachable' };
    const other = send('GET /sign-in?problem=unreachable');
    await finishAll(() => other.text !== '');
    expect(await answerTo('GET /sign-in')).toContain('/sign-in?problem=unreachable</script>');
    state.page = { key: 'plain', target: '/sign-in' };
    expect(await answerTo('GET /sign-in')).toContain('/sign-in</script>');
    expect(rendered).toEqual(['/sign-in', '/sign-in?problem=unreachable']);
  });

  test('a page whose state changed while it was rendered is not kept', async () => {
    const { send, rendering, rendered, state, finishAll } = await startFront();
    const during = send('GET /sign-in');
    await eventually(() => expect(rendering).toHaveLength(1));
    state.page = { key: 'other', target: '/sign-in?problem=expired' };
    await finishAll(() => during.text !== '');
    state.page = { key: 'plain', target: '/sign-in' };
    const after = send('GET /sign-in');
    await finishAll(() => after.text !== '');
    expect(rendered).toEqual(['/sign-in', '/sign-in']);
  });

  test('the answer to HEAD is not kept, nor an error', async () => {
    const { send, rendering, rendered, finishAll } = await startFront();
    const head = send('HEAD /none');
    await finishAll(() => head.text !== '');
    const failing = send('GET /none');
    await eventually(() => expect(rendering).toHaveLength(1));
    rendering[0]?.finish(500);
    await once(failing.socket, 'close');
    const read = send('GET /none');
    await finishAll(() => read.text !== '');
    expect(read.text).toMatch(/^HTTP\/1\.1 404 /);
    expect(rendered).toEqual(['/_not-found', '/_not-found', '/_not-found']);
  });

  test('the page of an address with nothing is rendered once, whatever the address and the visitor', async () => {
    const { send, answerTo, rendered, finishAll } = await startFront();
    const first = send('GET /none/secret');
    await finishAll(() => first.text !== '');
    for (const headers of [[], [SESSION]]) {
      const answer = await answerTo('GET /none/other?x=1', ...headers);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer).not.toContain('secret');
    }
    expect(rendered).toEqual(['/_not-found']);
  });
});
