import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { timesOf } from './processor-time.ts';

const module = JSON.stringify(join(import.meta.dirname, 'children.ts'));
/** Starts a program that starts another one; neither heeds SIGTERM. */
const DEAF = `process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); setInterval(() => {}, 1000);`;
const CHILD = `${DEAF}
  const { pid } = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`${DEAF} console.log('started')`)}])
    .once('spawn', function () { this.stdout.once('data', () => console.log(this.pid + ' ' + process.pid)); });`;
const SCRIPT = `import { endOnSignals, runNode } from ${module};
  endOnSignals(100);
  await runNode(['-e', ${JSON.stringify(CHILD)}], { cwd: process.cwd(), environment: {}, show: undefined });`;

describe.skipIf(process.platform !== 'linux')('a run that is ended', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s ends what it started, and what that started', async (signal, code) => {
    const run = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: run.stdout }), 'line')) as [string];
    const pids = line.split(' ').map(Number);
    expect(pids.map((pid) => timesOf(pid) !== undefined)).toEqual([true, true]);
    run.kill(signal);
    expect(await once(run, 'exit')).toEqual([code, null]);
    await expect.poll(() => pids.filter((pid) => isAlive(pid))).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
