import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hasRedis, startRedis } from './redis-server.fixture.ts';

const SPENDER = fileURLToPath(new URL('./spend-in-fleet.fixture.ts', import.meta.url));
const KILLS = Number(process.env.LEDGER_KILLS ?? 3);
/** Three seconds of a process are a minute of the account: some minutes are used up, and their ends are met. */
const [PER_MINUTE, PER_DAY] = [60, 100_000];

test.skipIf(!hasRedis())(
  'three processes that are killed and stopped at random times overspend nothing together',
  async () => {
    const server = await startRedis();
    const started = Date.now();
    const replicas: ChildProcess[] = [];
    try {
      replicas.push(...(await Promise.all([0, 1, 2].map(() => spending(server.port, started)))));
      for (let kill = 0; kill < KILLS; kill++) {
        await delay(Math.random() * 300);
        const stopped = replicas[(kill + 1) % 3];
        if (kill % 3 === 0) stopped?.kill('SIGSTOP');
        await killed(replicas[kill % 3]);
        replicas[kill % 3] = await spending(server.port, started);
        stopped?.kill('SIGCONT');
      }
      // Past the end of a minute that was used up, however slow the machine.
      while (Number(await server.admin('GET', 'upstream:day')) <= 2 * PER_MINUTE) await delay(20);
      expect(await server.admin('GET', 'upstream:refused')).toBeNull();
    } finally {
      await Promise.all(replicas.map(killed));
      await server.remove();
    }
  },
);

async function spending(port: number, startedMs: number): Promise<ChildProcess> {
  const values = [port, startedMs, PER_MINUTE, PER_DAY].map(String);
  const child = spawn(process.execPath, ['--conditions=react-server', SPENDER, ...values], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error('a replica ended by itself');
  child.stdout.resume();
  return child;
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
