import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openDataDir } from '#service/data-dir/open-data-dir.ts';
import { eventually } from '#testing/eventually.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Otherwise a signal to npm ends its shell alone. */
test.each(Object.entries(scripts))('npm run %s replaces the shell of npm', (_, script) => {
  expect(script).toMatch(/^exec node scripts\/bootstrap\.mjs \S+\.ts( --(dev|long))?$/);
});

function npmRun(...args: readonly string[]) {
  const child = spawn('npm', ['run', '--silent', ...args], {
    cwd: ROOT,
    env: process.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return { child, ended: once(child, 'exit') as Promise<[number | null, string | null]> };
}

test('SIGTERM to npm run service ends the service with 0: its port is free, and its lock is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-signal-'));
  const { child, ended } = npmRun('service', '--', 'serve', '--port', '0', '--data', folder, '--one-key');
  try {
    const [line] = await once(createInterface(child.stdout), 'line');
    const port = Number(new URL(JSON.parse(line).base_url).port);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await expect(once(createConnection(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    openDataDir(folder).release();
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});

test('SIGTERM to npm run operator ends a command that waits for a password', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-signal-'));
  const { child, ended } = npmRun('operator', '--', 'add', 'alice', '--password-stdin');
  try {
    let command = 0;
    await eventually(() => {
      command = childOf(childOf(child.pid as number));
      expect(readFileSync(`/proc/${command}/cmdline`, 'utf8')).toContain('scripts/operator.ts');
    });
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
    await eventually(() => expect(() => process.kill(command, 0)).toThrow('ESRCH'));
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}
