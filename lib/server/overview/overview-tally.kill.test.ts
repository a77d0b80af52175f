import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeDatabases } from '#testing/test-databases.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import { ONLY_SERVER } from '../database/writer-lease.ts';
import { STEP_S, TalliedWorld, TRACKS } from './tallied-world.fixture.ts';

const FILE = fileURLToPath(new URL('./tally-until-killed.fixture.ts', import.meta.url));
const KILLS = 4;
/** Without a read, so that what a kill loses cannot be received again. */
const AWAY = 13;
/** Once so many steps were read, the first write has ended. */
const STEPS_OF_A_WRITE = 5;

/** @returns the last step that was read */
async function readUntilKilled(target: DatabaseTarget, first: number): Promise<number> {
  const child = spawn(process.execPath, ['--conditions=react-server', FILE, JSON.stringify(target), String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  await new Promise<void>((resolve) => {
    child.once('exit', resolve);
    child.stdout.on('data', (text: Buffer) => {
      output += text.toString();
      if (output.split('\n').length > STEPS_OF_A_WRITE) resolve();
    });
  });
  await delay(Math.random() * 100);
  child.kill('SIGKILL');
  await once(child, 'close');
  return Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1));
}

describeDatabases('a tally that is killed', ({ open, newTarget }) => {
  test('loses what was received and watched since its last write together, and nothing before', async () => {
    const target = newTarget();
    let [step, lost] = [0, 0];
    for (let kill = 0; kill < KILLS; kill++) {
      const last = await readUntilKilled(target, step);
      step = last + AWAY;
      lost += 8;
    }
    const world = new TalliedWorld(await open(target), { ...ONLY_SERVER, fence: 0 }, step);
    await world.tally.write();
    const hours = await Promise.all(
      Array.from({ length: Math.ceil((step * STEP_S) / 3600) + 1 }, (_, hour) => world.hour((hour * 3600) / STEP_S)),
    );
    const sum = (of: 'positions' | 'watched_s') => hours.reduce((total, hour) => total + (hour?.[of] ?? 0), 0);
    // Each run receives the step before its first one too, which is not watched; its first one was received before it.
    const runs = sum('positions') / TRACKS - sum('watched_s') / STEP_S;
    expect(runs).toBeGreaterThanOrEqual(KILLS);
    expect(runs).toBeLessThanOrEqual(2 * KILLS);
    expect(sum('watched_s') / STEP_S).toBeGreaterThanOrEqual(step - KILLS * AWAY - lost);
    await world.tally.close();
  });
});
