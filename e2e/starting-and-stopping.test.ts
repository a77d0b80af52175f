import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { ask, cookieOf, sessionCookie } from '#testing/api-requests.ts';
import { eventually } from '#testing/eventually.ts';
import { freePort } from '#testing/free-port.ts';
import { startChild } from './running/child-process.ts';
import { addOperators, type OperatorAccount } from './running/operators.ts';
import { type RunningApp, startApp } from './running/running-app.ts';
import { type RunningService, startService } from './running/running-service.ts';
import { isRunning, type StartedCommand, startCommand } from './running/started-command.ts';

const SIGN_IN = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } } as const;

describe('Stores are opened before an answer', () => {
  let service: RunningService;
  let dataDir: string;
  let operator: OperatorAccount;
  let app: RunningApp;
  const settings = () => ({
    POSITIONS_API_URL: service.baseUrl,
    POSITIONS_API_KEY: service.apiKey,
    DATA_DIR: dataDir,
  });
  const refusal = () =>
    startApp(settings()).then(
      async (started) => {
        await started.stop();
        return 'started';
      },
      (error: Error) => error.message,
    );
  beforeAll(async () => {
    service = await startService();
    dataDir = mkdtempSync(join(tmpdir(), 'lookout-starting-'));
    const people = [{ name: 'alice', role: 'operator' }] as const;
    operator = (await addOperators({ DATA_DIR: dataDir }, people))[0] as OperatorAccount;
  });
  afterAll(async () => {
    await app?.stop();
    await service.stop();
  });

  test('whole stores: it starts', async () => {
    app = await startApp(settings());
    const { name, password } = operator;
    const session = await ask(`${app.url}/api/session`, { ...SIGN_IN, body: { name, password } });
    expect(session.status).toBe(204);
    const status = await ask(`${app.url}/api/status`, { headers: { cookie: sessionCookie(session) } });
    expect(status.status).toBe(200);
  });

  test('a second process on the same folder is refused in words, and the first one is not disturbed', async () => {
    const refused = await refusal();
    expect(refused).toContain('ended with 1');
    expect(refused).toContain(
      `Another Lookout uses DATA_DIR ${dataDir}: stop that one, or give this one another DATA_DIR.`,
    );
    const cookie = await cookieOf(app, operator);
    expect((await ask(`${app.url}/api/status`, { headers: { cookie } })).status).toBe(200);
  });

  test('a damaged store stops the start, with the name of the file and what to do; the file stays as it is', async () => {
    // Killed, so that a lock could stay behind.
    await app.kill();
    const path = join(dataDir, 'lookout.sqlite');
    // SQLite would restore the file from its log.
    rmSync(`${path}-wal`, { force: true });
    writeFileSync(path, 'not a database '.repeat(1000));
    const refused = await refusal();
    expect(refused).toContain('ended with 1:\nLookout cannot start:');
    expect(refused).toContain(path);
    expect(refused).toContain('put the latest backup in its place, or move it away');
    expect(readFileSync(path, 'utf8')).toBe('not a database '.repeat(1000));
  });
});

describe('Refuses to start', () => {
  async function refusedWith(settings: Readonly<Record<string, string>>): Promise<string> {
    const child = startChild(['--conditions=react-server', 'scripts/start.ts'], settings, ['ignore', 'ignore', 'pipe']);
    expect(await child.exited).toBe(1);
    return child.stderr();
  }

  test.each([
    [
      'with invalid settings, and names all of them at once',
      { POSITIONS_API_URL: 'ftp://positions.example/v1', LOG_LEVEL: 'loud', HOME_VIEW: 'here', PORT: 'first' },
      ['POSITIONS_API_URL must', 'POSITIONS_API_KEY or', 'LOG_LEVEL must', 'HOME_VIEW must', 'PORT is "first"'],
    ],
    [
      'without TLS where other machines can reach it, even with the embedded service',
      { HOST: '0.0.0.0' },
      ['HOST 0.0.0.0 can be reached from other machines. Without TLS', 'ALLOW_PLAIN_HTTP=1'],
    ],
  ])('%s', async (_, settings, named) => {
    const stderr = await refusedWith(settings as Readonly<Record<string, string>>);
    for (const problem of named) expect(stderr).toContain(problem);
  });

  test('with a real upstream and no operators, and says why', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'lookout-e2e-'));
    const stderr = await refusedWith({
      POSITIONS_API_URL: 'https://positions.example/v1',
      POSITIONS_API_KEY: randomBytes(16).toString('hex'),
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
    });
    expect(stderr).toContain(
      `No operator can sign in, and a real upstream needs operators to sign in. Add the first: DATA_DIR=${dataDir} npm run operator -- add NAME --role admin`,
    );
  });
});

const NPM_START = ['npm', 'start'] as const;
const APP = 'scripts/start.ts';

/** Unread: the app loads nothing ahead of its reader. @param endedAgoMinutes of the window's end */
async function loadOf(url: string, minutes: number, endedAgoMinutes = 2): Promise<IncomingMessage> {
  const endMs = Math.floor(Date.now() / MINUTE_MS - endedAgoMinutes) * MINUTE_MS;
  const [start, end] = [endMs - minutes * MINUTE_MS, endMs].map((ms) => new Date(ms).toISOString());
  const headers = { accept: 'application/x-ndjson' };
  const request = get(`${url}/api/history?bbox=6,45,10,49&layers=adsb&start=${start}&end=${end}`, { headers });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  return answer;
}

/** Without a request: rendering would delay the stop. */
async function refusesConnections({ url }: StartedCommand): Promise<void> {
  const { hostname, port } = new URL(url);
  await eventually(async () => {
    const socket = connect(Number(port), hostname);
    const outcome = await once(socket, 'connect').then(
      () => 'accepted',
      () => 'refused',
    );
    socket.destroy();
    expect(outcome).toBe('refused');
  });
}

async function expectNoneLeft({ processes }: StartedCommand): Promise<void> {
  await eventually(() => expect(processes.filter(isRunning)).toEqual([]));
}

function processOf({ processes }: StartedCommand, ...parts: readonly string[]): number {
  const found = processes.find(({ command }) => parts.every((part) => command.includes(part)));
  if (!found) throw new Error(`none of these has ${parts.join(' and ')}: ${JSON.stringify(processes)}`);
  return found.pid;
}

// Each waits for most of its time.
describe.concurrent('npm start', () => {
  test.each([
    { to: 'npm', target: ({ pid }: StartedCommand) => pid, isUnreadToo: false },
    // The unread answer takes the whole 8 s.
    { to: 'the whole group, an unread one is cut', target: ({ pid }: StartedCommand) => -pid, isUnreadToo: true },
  ])(
    'answers under way end after SIGTERM to $to, no process is left, and the exit code is 0',
    async ({ target, isUnreadToo }) => {
      const started = await startCommand(NPM_START);
      expect(started.processes.length).toBeGreaterThanOrEqual(3);
      await text(await loadOf(started.url, 1));
      const unread = isUnreadToo ? await loadOf(started.url, 30) : undefined;
      const service = processOf(started, 'service/cli.ts');
      process.kill(service, 'SIGSTOP');
      // Not what was just loaded, though a minute may have turned.
      const underWay = await loadOf(started.url, 1, 4);
      process.kill(target(started), 'SIGTERM');
      await refusesConnections(started);
      process.kill(service, 'SIGCONT');
      const lines = (await text(underWay)).trim().split('\n');
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'end', layers: { adsb: { complete: true } } });
      expect(await started.exited, started.output()).toBe(0);
      if (unread) await expect(text(unread)).rejects.toThrow('aborted');
      await expectNoneLeft(started);
    },
  );

  test('a second SIGTERM to the first process alone ends it at once, with an exit code that says so', async () => {
    const started = await startCommand(['node', 'scripts/bootstrap.mjs', APP]);
    const unread = await loadOf(started.url, 30);
    process.kill(started.pid, 'SIGTERM');
    await refusesConnections(started);
    let ended: number | string | undefined;
    started.exited.then(
      (code) => {
        ended = code;
      },
      () => undefined,
    );
    // Signals within a second are one request: npm and the terminal both pass it on.
    await eventually(() => {
      if (ended === undefined) process.kill(started.pid, 'SIGTERM');
      expect(ended).toBe(143);
    });
    await expect(text(unread)).rejects.toThrow('aborted');
    await expectNoneLeft(started);
  });

  test('a killed app is a failure of what started it, and leaves no service behind', async () => {
    const started = await startCommand(NPM_START);
    process.kill(processOf(started, 'react-server', APP), 'SIGKILL');
    expect(await started.exited).toBe(137);
    await expectNoneLeft(started);
  });
});
