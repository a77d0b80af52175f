import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { noticeOf, PERMITTED, PERMITTED_LINES } from '#lib/outputs/notice.fixture.ts';
import { openGuard } from '../guard.ts';
import { openNtfy } from './ntfy.ts';
import { depsOf } from './sender-deps.fixture.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** As docs.ntfy.sh/publish describes JSON; unknown fields are ignored there. */
const publishSchema = z.object({
  topic: z.string().check(z.regex(/^[-_A-Za-z0-9]{1,64}$/)),
  title: z.optional(z.string()),
  message: z.string(),
  tags: z.optional(z.array(z.string())),
  priority: z.optional(z.int().check(z.gte(1), z.lte(5))),
  click: z.optional(z.url()),
  sequence_id: z.optional(z.string().check(z.regex(/^[-_A-Za-z0-9]{1,64}$/))),
});
type Published = z.infer<typeof publishSchema>;

/** ntfy itself is no Debian package. It has the published contract: JSON to the root, a token, a replaced sequence id. */
async function startNtfy(answer?: (request: IncomingMessage, response: ServerResponse) => void) {
  const shown = new Map<string, Published>();
  const headers: string[] = [];
  const server = createServer(async (request, response) => {
    headers.push(request.rawHeaders.join('\n'));
    if (answer) return answer(request, response);
    if (request.headers.authorization !== 'Bearer tk_right') return response.writeHead(401).end();
    const published = publishSchema.safeParse(JSON.parse(await text(request)));
    if (request.url !== '/' || !published.success) return response.writeHead(400).end();
    if (Buffer.byteLength(published.data.message) > 4096) return response.writeHead(413).end();
    shown.set(published.data.sequence_id ?? String(shown.size), published.data);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ id: 'xE73Iyuabi', event: 'message' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alarms`, shown, headers };
}

function open(url: string, token = 'tk_right', listed = ['loopback']) {
  const guard = openGuard(listed);
  endings.push(() => guard.close());
  const sender = openNtfy({ kind: 'ntfy', url, priority: 5 }, token, depsOf(guard));
  endings.push(() => sender.close());
  return (notice = noticeOf(), signal = new AbortController().signal) => sender.send(notice, signal);
}

test('publishes title, text, priority, tags and link to the topic', async () => {
  const { url, shown } = await startNtfy();
  await open(url)(noticeOf({}, { simulated: true, ...PERMITTED }));
  expect([...shown.values()]).toMatchObject([
    {
      topic: 'alarms',
      title: 'SIM · Drone 00001 in Runway 14/32',
      message: expect.stringContaining(`SIM · ${PERMITTED_LINES}\n`),
      priority: 5,
      tags: ['lookout', 'SIM'],
      click: 'https://lookout.example/replay?at=1',
    },
  ]);
});

test('a repeated try replaces the notification', async () => {
  const { url, shown } = await startNtfy();
  const send = open(url);
  await send();
  await send();
  await send(noticeOf({ id: '1f0c2a7a-3c6e-4b6e-9d64-6f1d1f8e0002' }));
  expect(shown.size).toBe(2);
});

test('names of zones reach no header', async () => {
  const { url, shown, headers } = await startNtfy();
  const zone = { ...noticeOf().alarms[0]!.zone, name: 'Gate\r\nX-Priority: 1\r\n\r\nüü' };
  await open(url)(noticeOf({}, { zone }));
  expect(headers.join()).not.toMatch(/Gate|x-priority/i);
  expect([...shown.values()][0]?.title).toBe('Drone 00001 in Gate X-Priority: 1 üü');
});

test('a long group stays below the limit of a message', async () => {
  const { url, shown } = await startNtfy();
  const [alarm] = noticeOf().alarms;
  await open(url)(noticeOf({ alarms: Array.from({ length: 200 }, () => alarm!) }));
  expect([...shown.values()][0]?.message).toMatch(/\n…$/);
});

test.each([
  [400, { kind: 'failed', message: 'It answered with status 400.' }],
  [401, { kind: 'retry' }],
  [403, { kind: 'failed' }],
  [410, { kind: 'gone' }],
  [429, { kind: 'retry', retryAfterMs: 7000 }],
  [503, { kind: 'retry', retryAfterMs: 7000 }],
  [507, { kind: 'retry' }],
  [307, { kind: 'retry', message: expect.stringContaining('Redirects are not followed') }],
])('status %d has its kind of failure', async (status, failure) => {
  const target = await startNtfy();
  const { url } = await startNtfy((_, response) =>
    response.writeHead(status, { 'retry-after': '7', location: target.url }).end('secret'.repeat(100_000)),
  );
  await expect(open(url)()).rejects.toMatchObject(failure);
  expect(target.headers).toEqual([]);
});

test('a wrong token is reported without it', async () => {
  const { url } = await startNtfy();
  await expect(open(url, 'tk_wrong')()).rejects.toMatchObject({
    kind: 'retry',
    message: 'It answered with status 401.',
  });
});

test('shows the reason that ntfy states', async () => {
  const { url } = await startNtfy((_, response) =>
    response
      .writeHead(429, { 'content-type': 'application/json' })
      .end('{"code":42908,"http":429,"error":"limit reached: daily message quota reached"}'),
  );
  await expect(open(url)()).rejects.toMatchObject({
    kind: 'retry',
    message: 'It answered with status 429: “limit reached: daily message quota reached”.',
  });
});

test.each([
  ['a sign-in page', 'text/html', '<!doctype html><title>Sign in</title>', /web page.*“Sign in”/],
  ['a word', 'text/plain', 'ok', /not as ntfy does/],
  ['other JSON', 'application/json', '{"ok":true}', /not as ntfy does/],
  ['JSON that is cut off', 'application/json', '{"id":"xE73', /not as ntfy does/],
  ['nothing', 'text/plain', '', /not as ntfy does/],
])('has not arrived where the answer is %s', async (_, type, body, message) => {
  const { url } = await startNtfy((_request, response) => response.writeHead(200, { 'content-type': type }).end(body));
  await expect(open(url)()).rejects.toMatchObject({ kind: 'failed', message: expect.stringMatching(message) });
});

test('ends at a receiver that does not answer, or is not there', async () => {
  const { url } = await startNtfy(() => undefined);
  await expect(open(url)(noticeOf(), AbortSignal.timeout(100))).rejects.toMatchObject({ kind: 'retry' });
  await expect(open('http://127.0.0.1:1/alarms')()).rejects.toMatchObject({ message: 'Nothing listens there.' });
});

test('does not reach a private address that is not listed', async () => {
  const { url, headers } = await startNtfy();
  await expect(open(url, 'tk_right', [])()).rejects.toMatchObject({
    kind: 'retry',
    message: expect.stringContaining('OUTPUT_PRIVATE_ADDRESSES'),
  });
  expect(headers).toEqual([]);
});
