import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { expect, test } from './lookout-test.ts';
import { addOperator } from './running/operators.ts';
import { type RunningApp, startApp } from './running/running-app.ts';
import { startService } from './running/running-service.ts';
import { isRunning, type StartedCommand, startCommand } from './running/started-command.ts';

test('Stores are opened before anybody is answered, and a damaged one stops the start', async ({ request }) => {
  const service = await startService();
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-starting-'));
  const { name, password } = await addOperator({ DATA_DIR: dataDir }, 'alice');
  const settings = {
    POSITIONS_API_URL: service.baseUrl,
    POSITIONS_API_KEY: service.apiKey,
    DATA_DIR: dataDir,
  };
  const refusal = (changed: Readonly<Record<string, string>> = {}) =>
    startApp({ ...settings, ...changed }).then(
      async (started) => {
        await started.stop();
        return 'started';
      },
      (error: Error) => error.message,
    );
  let app: RunningApp | undefined;
  try {
    await test.step('With whole stores it starts', async () => {
      app = await startApp(settings);
      const session = await request.post(`${app.url}/api/session`, {
        headers: { 'sec-fetch-site': 'same-origin' },
        data: { name, password },
      });
      expect(session.ok()).toBe(true);
      expect((await request.get(`${app.url}/api/status`)).status()).toBe(200);
    });

    await test.step('A second process on the same folder is refused in words, and the first one is not disturbed', async () => {
      const refused = await refusal();
      expect(refused).toContain('ended with 1');
      expect(refused).toContain(
        `Another Lookout uses DATA_DIR ${dataDir}: stop that one, or give this one another DATA_DIR.`,
      );
      expect((await request.get(`${app?.url}/api/status`)).status()).toBe(200);
    });

    await test.step('A damaged store stops the start, with the name of the file and what to do; the file stays as it is', async () => {
      // Killed, so that a lock could stay behind.
      await app?.kill();
      app = undefined;
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
  } finally {
    await app?.stop();
    await service.stop();
  }
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
  await expect
    .poll(async () => {
      const socket = connect(Number(port), hostname);
      try {
        await once(socket, 'connect');
        return 'accepted';
      } catch {
        return 'refused';
      } finally {
        socket.destroy();
      }
    })
    .toBe('refused');
}

async function expectNoneLeft({ processes }: StartedCommand): Promise<void> {
  await expect.poll(() => processes.filter(isRunning)).toEqual([]);
}

function processOf({ processes }: StartedCommand, ...parts: readonly string[]): number {
  const found = processes.find(({ command }) => parts.every((part) => command.includes(part)));
  if (!found) throw new Error(`none of these has ${parts.join(' and ')}: ${JSON.stringify(processes)}`);
  return found.pid;
}

const WAYS = [
  { to: 'npm', command: NPM_START, target: ({ pid }: StartedCommand) => pid, isUnreadToo: false },
  // The unread answer takes the whole 8 s.
  { to: 'the whole group', command: NPM_START, target: ({ pid }: StartedCommand) => -pid, isUnreadToo: true },
  {
    to: 'the first process alone',
    command: ['node', 'scripts/bootstrap.mjs', APP] as const,
    target: ({ pid }: StartedCommand) => pid,
    isUnreadToo: false,
  },
];

for (const { to, command, target, isUnreadToo } of WAYS) {
  const unreadToo = isUnreadToo ? ', an unread one is cut' : '';
  test(`SIGTERM to ${to}: answers under way end${unreadToo}, no process is left, and the exit code is 0`, async () => {
    const started = await startCommand(command);
    expect(started.processes.length).toBeGreaterThanOrEqual(3);
    await text(await loadOf(started.url, 1));
    const unread = isUnreadToo ? await loadOf(started.url, 30) : undefined;
    const service = processOf(started, 'service/cli.ts');
    process.kill(service, 'SIGSTOP');
    const underWay = await loadOf(started.url, 1, 3);
    process.kill(target(started), 'SIGTERM');
    await refusesConnections(started);
    process.kill(service, 'SIGCONT');
    const lines = (await text(underWay)).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'end', layers: { adsb: { complete: true } } });
    expect(await started.exited, started.output()).toBe(0);
    if (unread) await expect(text(unread)).rejects.toThrow('aborted');
    await expectNoneLeft(started);
  });
}

test('A second SIGTERM ends it at once, with an exit code that says so', async () => {
  const started = await startCommand(NPM_START);
  const unread = await loadOf(started.url, 30);
  process.kill(started.pid, 'SIGTERM');
  await refusesConnections(started);
  // Signals within a second are one request: npm and the terminal both pass it on.
  await delay(1000);
  process.kill(started.pid, 'SIGTERM');
  expect(await started.exited).toBe(143);
  await expect(text(unread)).rejects.toThrow('aborted');
  await expectNoneLeft(started);
});

test('A killed app is a failure of what started it, and leaves no service behind', async () => {
  const started = await startCommand(NPM_START);
  process.kill(processOf(started, 'react-server', APP), 'SIGKILL');
  expect(await started.exited).toBe(137);
  await expectNoneLeft(started);
});
