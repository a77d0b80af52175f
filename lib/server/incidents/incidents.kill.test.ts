import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeDatabases } from '#testing/test-databases.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import { ClosingWorld } from './closing-world.fixture.ts';

const FILE = fileURLToPath(new URL('./close-until-killed.fixture.ts', import.meta.url));
const KILLS = Number(process.env.INCIDENT_KILLS ?? 4);
/** Closing and sealing take less. */
const AWHILE_MS = 400;

/** @param after during closing, or during sealing */
async function closeUntilKilled(target: DatabaseTarget, after: 'open' | 'closed'): Promise<void> {
  const child = spawn(process.execPath, ['--conditions=react-server', FILE, JSON.stringify(target)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  await new Promise<void>((resolve) => {
    child.once('exit', resolve);
    child.stdout.on('data', (text: Buffer) => {
      output += text.toString();
      if (output.split('\n').includes(after)) resolve();
    });
  });
  await delay(Math.random() * AWHILE_MS);
  child.kill('SIGKILL');
  await once(child, 'close');
}

describeDatabases('incidents that are closed and sealed by a server that is killed', ({ open, newTarget }) => {
  test(
    'are open, or closed with everything, or sealed with a file that verifies',
    async () => {
      const target = newTarget();
      for (let kill = 0; kill < KILLS; kill++) await closeUntilKilled(target, kill % 2 === 0 ? 'open' : 'closed');
      const world = new ClosingWorld(await open(target));
      const states = await world.states();
      expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(KILLS);
      // One that a kill left open closes as any other.
      const left = (await world.desk.store.list()).find(({ state }) => state === 'open');
      if (left) await world.close(left.id);
      expect(await world.abandoned()).toBeLessThanOrEqual(KILLS);
      if (KILLS > 4) process.stderr.write(`${JSON.stringify({ kills: KILLS, states })}\n`);
    },
    120_000 + KILLS * 10_000,
  );

  test('closing ends with its client, and leaves nothing', async () => {
    const world = new ClosingWorld(await open(newTarget()));
    const id = await world.open(60);
    const client = new AbortController();
    const closing = world.close(id, client.signal);
    client.abort();
    await expect(closing).rejects.toThrow();
    expect(await world.states()).toEqual({ open: 1 });
    expect(await world.abandoned()).toBe(0);
    await world.close(id);
    expect(await world.states()).toEqual({ closed: 1 });
  });
});
