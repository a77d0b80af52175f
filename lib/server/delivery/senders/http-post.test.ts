import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Guard, openGuard } from '../guard.ts';
import { Receiver } from '../receiver.fixture.ts';
import { post } from './http-post.ts';

const SIGN_IN = '<!doctype html><html><head><title>Sign in · Example</title></head><body><form></form></body></html>';
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };

let receiver: Receiver;
let guard: Guard;
beforeEach(async () => {
  receiver = await Receiver.open();
  guard = openGuard(['loopback']);
  return async () => {
    receiver.close();
    await guard.close();
  };
});

const send = (url = receiver.url, headers = {}) => post(url, '{}', headers, guard, new AbortController().signal);
const answer = (status: number, headers: Record<string, string> = {}, body = '') => {
  receiver.answer = (response) => void response.writeHead(status, headers).end(body);
};

describe('an answer', () => {
  test.each([200, 201, 202, 203, 204, 206, 207])('with status %d has arrived', async (status) => {
    answer(status);
    await send();
  });

  test.each([
    ...([400, 403, 404, 405, 406, 409, 411, 412, 413, 415, 417, 418, 422, 423, 424, 426, 428, 431] as const),
    ...([444, 451, 494, 499, 500, 501, 505, 506, 508, 510, 599, 999] as const),
  ])('with status %d may concern this notice alone', async (status) => {
    answer(status);
    await expect(send()).rejects.toMatchObject({ kind: 'failed', message: `It answered with status ${status}.` });
  });

  test.each([
    ...([401, 407, 408, 421, 425, 429, 502, 503, 504, 507, 511] as const),
    ...([520, 521, 522, 523, 524, 525, 526, 527, 530] as const),
  ])('with status %d concerns every notice', async (status) => {
    answer(status);
    await expect(send()).rejects.toMatchObject({ kind: 'retry', message: `It answered with status ${status}.` });
  });

  test.each([300, 301, 302, 303, 304, 307, 308])('with status %d is not followed', async (status) => {
    answer(status, { location: 'https://login.example/?token=hunter22' });
    const failure = await send().catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'retry', message: expect.stringContaining(String(status)) });
    expect(String(failure)).toContain('https://login.example');
    expect(String(failure)).not.toContain('hunter22');
  });

  test('with status 410 is the only one that ends the destination', async () => {
    answer(410);
    await expect(send()).rejects.toMatchObject({ kind: 'gone' });
  });

  test('after informational ones is the one that counts', async () => {
    receiver.answer = (response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(204).end();
    };
    await send();
  });
});

describe('a web page', () => {
  test.each([
    ['a sign-in page', HTML, SIGN_IN],
    ['a page without its type', {}, '<!doctype html><title>Sign in · Example</title>'],
    ['a page called plain text', { 'content-type': 'text/plain' }, SIGN_IN],
    ['a page after a byte order mark and a comment', HTML, `\uFEFF\n<!-- cached -->\n${SIGN_IN}`],
    ['a page of XHTML', HTML, `<?xml version="1.0"?>\n<HTML><head><title>Sign in · Example</title></head></HTML>`],
  ])('is no receiver’s answer: %s', async (_, headers, body) => {
    answer(200, headers, body);
    await expect(send()).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/web page.*“Sign in · Example”/),
    });
  });

  test('is one also if it is compressed, which was not asked for', async () => {
    receiver.answer = (response) =>
      void response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end(gzipSync(SIGN_IN.repeat(1000)));
    await expect(send()).rejects.toMatchObject({ kind: 'failed', message: expect.stringContaining('“Sign in') });
  });

  test.each([
    ['nothing', HTML, ''],
    ['a word called HTML', HTML, 'ok'],
    ['a piece of HTML', HTML, '<p>Thanks</p>'],
    ['JSON with a page in it', JSON_TYPE, JSON.stringify({ html: SIGN_IN })],
    ['XML', { 'content-type': 'application/xml' }, '<?xml version="1.0"?><Response/>'],
    ['bytes', { 'content-type': 'application/octet-stream' }, '\0\x01'],
    ['an error in JSON', JSON_TYPE, '{"ok":false}'],
  ])('is not %s', async (_, headers, body) => {
    answer(200, headers, body);
    await send();
  });
});

describe('the problem', () => {
  test.each([
    [
      'the title of a page',
      HTML,
      '<html><head><title>\n 403&nbsp;Forbidden &amp; more\n</title>',
      '403 Forbidden & more',
    ],
    ['the heading of a page', HTML, '<html><body><h1 class="x">Web <b>filter</b></h1>', 'Web filter'],
    ['a word', HTML, 'invalid_token', 'invalid_token'],
    ['a line of text', { 'content-type': 'text/plain' }, 'no such hook\nat line 3', 'no such hook'],
    ['an error in JSON', JSON_TYPE, '{"code":40301,"http":403,"error":"forbidden"}', 'forbidden'],
    ['a nested error in JSON', JSON_TYPE, '{"error":{"message":"no access"}}', 'no access'],
    [
      'a problem of RFC 9457',
      { 'content-type': 'application/problem+json' },
      '{"title":"Not here","detail":"Try there"}',
      'Not here',
    ],
    ['no more than 80 characters', { 'content-type': 'text/plain' }, 'x'.repeat(500), `${'x'.repeat(79)}…`],
  ])('quotes %s', async (_, headers, body, words) => {
    answer(403, headers, body);
    await expect(send()).rejects.toMatchObject({ message: `It answered with status 403: “${words}”.` });
  });

  test.each([
    ['a body without a type', {}, 'secret words'],
    ['bytes', { 'content-type': 'application/octet-stream' }, 'words'],
    ['JSON that states no error', JSON_TYPE, '{"echo":"words"}'],
    ['JSON that is cut off', JSON_TYPE, '{"error":"wor'],
    ['a page without title and heading', HTML, '<html>nginx</html>'],
  ])('does not quote %s', async (_, headers, body) => {
    answer(403, headers, body);
    await expect(send()).rejects.toMatchObject({ message: 'It answered with status 403.' });
  });

  test('quotes no part of the address or of the token', async () => {
    receiver.answer = (response, { path, headers }) =>
      void response
        .writeHead(404, { 'content-type': 'text/plain' })
        .end(`Cannot POST ${path} with ${decodeURIComponent(path)} and ${headers.authorization}`);
    const url = `http://127.0.0.1:${receiver.port}/T0-hunter22/B%C3%A4r-sesame?key=opensesame`;
    const { message } = (await send(url, { authorization: 'Bearer tk_secret' }).catch(
      (error: Error) => error,
    )) as Error;
    expect(message).toContain('“Cannot POST');
    expect(message).not.toMatch(/hunter22|sesame|tk_secret/);
  });

  test('has no control or direction characters of the other side', async () => {
    answer(403, { 'content-type': 'text/plain; charset=utf-8' }, 'a\x1b[31m\u202Eb\0c');
    const { message } = (await send().catch((error: Error) => error)) as Error;
    expect(message).toMatch(/^It answered with status 403: “a \[31m bc?.*”\.$/u);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be absent
    expect(message).not.toMatch(/[\0\x1b\u202E]/);
  });
});

describe('Retry-After', () => {
  const date = (second: number) => new Date(Date.UTC(2001, 0, 1, 0, 0, second)).toUTCString();
  test.each([
    ['seconds', { 'retry-after': '12' }, 12_000],
    ['a date, by the clock of the answer', { 'retry-after': date(12), date: date(0) }, 12_000],
    ['nothing that can be read', { 'retry-after': 'later' }, undefined],
  ])('is read as %s', async (_, headers, retryAfterMs) => {
    for (const status of [301, 403, 429, 500, 503]) {
      answer(status, headers);
      await expect(send()).rejects.toMatchObject({ retryAfterMs });
    }
  });
});

describe('a server that breaks off', () => {
  let server: Server;
  const respond = async (respondTo: (socket: Socket) => void) => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => respondTo(socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  beforeEach(() => () => void server?.close());

  test('without an answer is tried again', async () => {
    const url = await respond((socket) => socket.end());
    await expect(send(url)).rejects.toMatchObject({ kind: 'retry', message: 'The connection was cut.' });
  });

  test('within the body has said its status', async () => {
    const begin = (status: string) => `HTTP/1.1 ${status}\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n{"half`;
    const arrived = await respond((socket) => socket.end(begin('200 OK')));
    await send(arrived);
    server.close();
    const failed = await respond((socket) => socket.end(begin('403 No')));
    await expect(send(failed)).rejects.toMatchObject({ kind: 'failed' });
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    [
      'an upgrade that was not asked for',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'x-long: long\r\n'.repeat(5000)}`],
  ])('or sends %s is tried again', async (_, bytes) => {
    const url = await respond((socket) => socket.end(bytes));
    await expect(send(url)).rejects.toMatchObject({ kind: 'retry' });
  });
});
