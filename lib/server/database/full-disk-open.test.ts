import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cannotMount, mountSmallDisk } from '#service/data-dir/small-disk.fixture.ts';

const OPENS = fileURLToPath(new URL('./full-disk-open.fixture.ts', import.meta.url));

test.skipIf(cannotMount !== undefined)(
  'a database opens on a full disk, and writes again once there is room',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-full-open-'));
    const disk = await mountSmallDisk(folder, 2_000_000);
    try {
      const [program = '', ...within] = disk.within;
      const { stdout, stderr } = spawnSync(
        program,
        [...within, process.execPath, '--conditions=react-server', OPENS, folder],
        {
          encoding: 'utf8',
        },
      );
      expect(stdout, stderr).not.toBe('');
      expect(JSON.parse(stdout)).toEqual({
        ...{ read: [{ name: 'North gate' }], refused: 'full', failure: 'full', after: null, kept: 50_000 },
      });
    } finally {
      await disk.remove();
    }
  },
);
