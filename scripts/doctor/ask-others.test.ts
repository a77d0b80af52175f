import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { accountName, openLedger } from '#lib/server/allowance/stored-ledger.ts';
import { memoryFolder } from '#lib/server/database/memory-folder.fixture.ts';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { readOnly } from '#lib/server/database/schema.ts';
import type { ReadsDatabase } from '#lib/server/doctor/database-checks.ts';
import type { Said } from '#lib/server/doctor/examine.ts';
import { type Config, readConfig } from '#lib/server/settings/config.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { freePort } from '#testing/free-port.ts';
import { askLookout, askUpstream, portFindings } from './ask-others.ts';

const folder = memoryFolder('lookout-doctor-');
const texts = (said: readonly Said[]) => said.map(({ state, found, remedy }) => `${state}: ${found} → ${remedy}`);
const shown = (pattern: RegExp) => [expect.stringMatching(pattern)];

async function answering(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
const saying = (status: number, body: object | string, headers = {}) =>
  answering((_, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body)),
  );

function config(settings: Readonly<Record<string, string>> = {}): Config {
  const read = readConfig({
    NODE_ENV: 'test',
    POSITIONS_API_URL: 'http://127.0.0.1:1/v1',
    POSITIONS_API_KEY: 'SECRET-key',
    SESSION_SECRET: 'SECRET'.repeat(6),
    DATA_DIR: folder,
    ...settings,
  } as NodeJS.ProcessEnv);
  if (!read.ok) throw new Error(read.problems.join());
  return read.config;
}

const reads: ReadsDatabase = (read) => readOnly({ dialect: 'sqlite', file: join(folder, 'lookout.sqlite') }, read);
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({ dialect: 'sqlite', file: join(folder, 'lookout.sqlite') });
});
afterAll(() => database.close());

test('Server: free ports, and one of another program', async () => {
  const [free, other] = [await freePort(), await saying(200, '<html>')];
  const at = (port: number) => ['127.0.0.1', port] as const;
  expect(texts(await portFindings([at(free)]))).toEqual(shown(/^ok: Lookout does not run; port \d+ is free/));
  expect(texts(await portFindings([at(free), at(other)]))).toEqual(
    shown(/^wrong: Lookout could not start: .*port \d+ is in use: set PORT.* → If a Lookout runs there/),
  );
  expect(texts(await portFindings([['192.0.2.1', free]]))).toEqual(shown(/^wrong: Lookout could not start/));
});

test('A Lookout that refuses the proof, another program, and a closed port say why there is no answer', async () => {
  const of = async (port: number) => {
    const answer = await askLookout(`http://127.0.0.1:${port}`, 'SECRET');
    return 'found' in answer ? texts([answer]) : answer;
  };
  expect(await of(await saying(401, { error: {} }))).toEqual(
    shown(/^wrong: .* answers 401, and not as this Lookout → Let the proxy pass Authorization/),
  );
  expect(await of(await saying(200, '<html>'))).toEqual(shown(/^wrong: .* answers 200, and not as this Lookout/));
  expect(await of(await freePort())).toEqual(shown(/^unknown: .* does not answer \(ECONNREFUSED\) → See/));
});

const asked = async (port: number, { sends = true } = {}) => {
  const said: string[] = [];
  const upstream = config({ POSITIONS_API_URL: `http://127.0.0.1:${port}/v1` });
  const answer = await askUpstream(upstream, { reads, sends, say: (text) => said.push(text) });
  return { lines: texts(answer.said), aheadMs: answer.aheadMs, said };
};

test.each([
  [200, /^ok: 127\.0\.0\.1:\d+ answers, 41 requests left today/],
  [401, /^wrong: .* refuses the key → Write/],
  [403, /^wrong: .* does not let this key read live ADS-B → Ask the upstream for the scope adsb\.live/],
  [404, /^wrong: .* has nothing at this address → Set POSITIONS_API_URL/],
  [429, /^wrong: .* has no requests left for this account → Wait/],
  [503, /^wrong: .* answers 503 → Try again later/],
])('Upstream: answers %s to one request, which is announced with its price', async (status, text) => {
  let requests = 0;
  const date = new Date(Date.now() + 60_000).toUTCString();
  const port = await answering((request, response) => {
    requests += 1;
    expect(request.headers.authorization).toBe('Bearer SECRET-key');
    response.writeHead(status, { 'x-dailylimit-remaining': '41', date }).end('{}');
  });
  const { lines, said, aheadMs } = await asked(port);
  expect(lines).toEqual(shown(text));
  expect(said).toEqual(shown(/^Sends one request to 127\.0\.0\.1:\d+, which counts/));
  expect(requests).toBe(1);
  expect(aheadMs).toBeGreaterThan(57_000);
});

test('Upstream: cannot be reached, does not answer, and is not asked against the will of the caller', async () => {
  const closed = await freePort();
  expect((await asked(closed)).lines).toEqual(shown(/^wrong: .* does not answer → Check POSITIONS_API_URL/));
  expect((await asked(closed, { sends: false })).lines).toEqual(shown(/^wrong: .* cannot be reached → Check/));
  const silent = createSocketServer((socket) => socket.on('data', () => socket.destroy())).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  expect((await asked(port)).lines).toEqual(shown(/^wrong: .* does not answer → Check/));
  const { lines, said } = await asked(port, { sends: false });
  expect(lines).toEqual(shown(/^unknown: .* can be reached; no request was sent → Leave out --no-request/));
  expect(said).toEqual([]);
});

test('Upstream: is not asked while the ledger knows of a pause, or is damaged', async () => {
  const port = await saying(200, {});
  const url = `http://127.0.0.1:${port}/v1`;
  const part = strictSupervisor().part('allowance');
  const ledger = await openLedger(database, accountName(url), part);
  const now = upstreamInstant(Date.now());
  await ledger.pauseUntil(addMs(now, MINUTE_MS), 'allowance_used_up');
  await ledger.close();
  const { lines, said } = await asked(port);
  expect(lines).toEqual(shown(/^unknown: No request was sent: the allowance is used up until 20/));
  expect(said).toEqual([]);
  await database.query.updateTable('ledger').set({ saved: '{' }).execute();
  expect((await asked(port)).lines).toEqual(shown(/^wrong: The ledger .* is damaged\. Restore a backup/));
});
