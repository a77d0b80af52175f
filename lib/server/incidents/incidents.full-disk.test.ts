import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cannotMount, mountSmallDisk } from '#service/data-dir/small-disk.fixture.ts';

const FILE = fileURLToPath(new URL('./close-on-full-disk.fixture.ts', import.meta.url));

test.skipIf(cannotMount !== undefined)(
  'an incident that fills the disk stays open with nothing kept; with room, another is closed and sealed',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-full-incident-'));
    const disk = await mountSmallDisk(folder, 2_500_000);
    try {
      const [program = '', ...within] = disk.within;
      const run = [...within, process.execPath, '--conditions=react-server', FILE, folder];
      const { stdout, stderr } = spawnSync(program, run, { encoding: 'utf8' });
      expect(stdout, stderr).not.toBe('');
      expect(JSON.parse(stdout)).toEqual({
        refused: 'full',
        before: { open: 1 },
        after: { open: 1, sealed: 1 },
      });
    } finally {
      await disk.remove();
    }
  },
  60_000,
);
