import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cannotMount, mountSmallDisk, type SmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { root } from '../docs/document.ts';
import { runQuietly } from './run-quietly.ts';

test('a program that fails ends with its output', async () => {
  await expect(runQuietly(root, 'The build', ['--eval', 'throw new Error("broken")'])).rejects.toThrow(
    /^The build failed:[\s\S]*broken/,
  );
});

describe.skipIf(cannotMount !== undefined)(`on a small disk ${cannotMount ?? ''}`, () => {
  test.each([
    ['full', (disk: SmallDisk) => disk.fill(), /^The disk of \S+ is full, .*make room on it/],
    ['read-only', (disk: SmallDisk) => disk.makeReadOnly(), /^\S+ is on a read-only disk, .*mount it writable/],
  ] as const)('a build whose disk is %s names the folder and what to do, in one line', async (_, spoil, expected) => {
    const folder = join(mkdtempSync(join(tmpdir(), 'lookout-building-')), 'clone');
    mkdirSync(folder);
    const disk = await mountSmallDisk(folder, 200_000);
    try {
      mkdirSync(join(disk.path, 'scripts/setup'), { recursive: true });
      cpSync(join(root, 'scripts/setup/run-quietly.ts'), join(disk.path, 'scripts/setup/run-quietly.ts'));
      spoil(disk);
      const builds = "import('node:fs').then(({ writeFileSync }) => writeFileSync('built', 'x'.repeat(100_000)))";
      const script = `
        const { runQuietly } = await import(${JSON.stringify(join(folder, 'scripts/setup/run-quietly.ts'))});
        await runQuietly(${JSON.stringify(folder)}, 'The build', ['--eval', ${JSON.stringify(builds)}]).catch((error) => console.log(error.message));`;
      const [program = '', ...args] = [...disk.within, process.execPath, '--input-type=module', '--eval', script];
      const { stdout } = spawnSync(program, args, { encoding: 'utf8' });
      expect(stdout).toMatch(expected);
      expect(stdout).toContain(folder);
      expect(stdout.trim().split('\n')).toHaveLength(1);
    } finally {
      await disk.remove();
    }
  });
});
