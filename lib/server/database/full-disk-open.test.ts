import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cannotMount, mountSmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { MIGRATIONS } from './migrations/migrations.ts';

const OPENS = fileURLToPath(new URL('./full-disk-open.fixture.ts', import.meta.url));

test.skipIf(cannotMount !== undefined)(
  'a database opens on a full disk, writes again once there is room, and is not migrated by half',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-full-open-'));
    const disk = await mountSmallDisk(folder, 2_400_000);
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
      const refusal =
        /^full: The disk of .*migrated from .* to 9999-next. Nothing was changed: make room of about \d+ MB/;
      expect(JSON.parse(stdout)).toEqual({
        read: [{ name: 'North gate' }],
        refused: 'full',
        failure: 'full',
        after: null,
        kept: 50_000,
        states: [
          { migrated: expect.stringMatching(refusal), kind: 'current', files: [] },
          { migrated: expect.stringMatching(refusal), kind: 'current', files: [] },
          {
            migrated: expect.stringMatching(refusal),
            kind: 'current',
            files: [`lookout-${MIGRATIONS.at(-1)!.name}.sqlite`],
          },
          { migrated: 'migrated', files: [`lookout-${MIGRATIONS.at(-1)!.name}.sqlite`] },
        ],
      });
    } finally {
      await disk.remove();
    }
  },
);
