import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { expect, test } from './lookout-test.ts';
import { isRunning, type StartedCommand, startCommand } from './running/started-command.ts';

const NPM_START = ['npm', 'start'] as const;
const APP = 'scripts/start.ts';

/** A load, begun and not read any further: nothing is loaded ahead of its reader. */
async function streamUnderWay(url: string, minutes: number): Promise<IncomingMessage> {
  const endMs = Math.floor(Date.now() / MINUTE_MS - 2) * MINUTE_MS;
  const [start, end] = [endMs - minutes * MINUTE_MS, endMs].map((ms) => new Date(ms).toISOString());
  const headers = { accept: 'application/x-ndjson' };
  const request = get(`${url}/api/history?bbox=6,45,10,49&layers=adsb&start=${start}&end=${end}`, { headers });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  return answer;
}

async function refusesConnections({ url }: StartedCommand): Promise<void> {
  await expect
    .poll(() =>
      fetch(url).then(
        () => 'accepted',
        () => 'refused',
      ),
    )
    .toBe('refused');
}

async function expectNoneLeft({ processes }: StartedCommand): Promise<void> {
  await expect.poll(() => processes.filter(isRunning)).toEqual([]);
}

function appOf({ processes }: StartedCommand): number {
  const app = processes.find(({ command }) => command.includes('react-server') && command.includes(APP));
  if (!app) throw new Error(`none of these is the app: ${JSON.stringify(processes)}`);
  return app.pid;
}

const WAYS = [
  { to: 'npm', command: NPM_START, target: ({ pid }: StartedCommand) => pid, isUnreadToo: false },
  // One of these waits the eight seconds for a reader who takes nothing.
  { to: 'the whole group', command: NPM_START, target: ({ pid }: StartedCommand) => -pid, isUnreadToo: true },
  {
    to: 'the first process alone',
    command: ['node', 'scripts/bootstrap.mjs', APP] as const,
    target: ({ pid }: StartedCommand) => pid,
    isUnreadToo: false,
  },
];

for (const { to, command, target, isUnreadToo } of WAYS) {
  const unreadToo = isUnreadToo ? ', an unread one is aborted' : '';
  test(`SIGTERM to ${to}: answers under way end${unreadToo}, no process is left, and the exit code is 0`, async () => {
    const started = await startCommand(command);
    expect(started.processes.length).toBeGreaterThanOrEqual(3);
    const [read, unread] = await Promise.all([
      streamUnderWay(started.url, 2),
      isUnreadToo ? streamUnderWay(started.url, 30) : undefined,
    ]);
    // The slow first steps are over, so that a busy machine can end the answer in time.
    const whole = text(read);
    await once(read, 'data');
    process.kill(target(started), 'SIGTERM');
    await refusesConnections(started);
    const lines = (await whole).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'end', layers: { adsb: { complete: true } } });
    expect(await started.exited, started.output()).toBe(0);
    if (unread) await expect(text(unread)).rejects.toThrow('aborted');
    await expectNoneLeft(started);
  });
}

test('A second SIGTERM ends it at once, with an exit code that says so', async () => {
  const started = await startCommand(NPM_START);
  const unread = await streamUnderWay(started.url, 30);
  process.kill(started.pid, 'SIGTERM');
  await refusesConnections(started);
  // Signals within a second are one request, since npm and the terminal both pass it on.
  await delay(1000);
  process.kill(started.pid, 'SIGTERM');
  expect(await started.exited).toBe(143);
  await expect(text(unread)).rejects.toThrow('aborted');
  await expectNoneLeft(started);
});

test('A killed app is a failure of what started it, and leaves no service behind', async () => {
  const started = await startCommand(NPM_START);
  process.kill(appOf(started), 'SIGKILL');
  expect(await started.exited).toBe(137);
  await expectNoneLeft(started);
});
