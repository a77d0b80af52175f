import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { cannotMount, mountSmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { startService } from '#service/server/start-service.ts';
import { steadyTraffic } from '#testing/live-harness.ts';

const STARTS = fileURLToPath(new URL('./start-on-full-disk.fixture.ts', import.meta.url));

test.skipIf(cannotMount !== undefined)(
  'a server starts on a full disk, serves, says so, and is whole again once there is room',
  async () => {
    const service = await startService({ source: steadyTraffic(3), now: () => upstreamInstant(Date.now()) });
    const folder = mkdtempSync(join(tmpdir(), 'lookout-full-start-'));
    const disk = await mountSmallDisk(folder, 8_000_000);
    try {
      const [program = '', ...within] = disk.within;
      const child = spawn(program, [...within, process.execPath, '--conditions=react-server', STARTS, folder], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env.PATH,
          DATA_DIR: folder,
          POSITIONS_EMBEDDED: '1',
          NODE_ENV: 'production',
          POSITIONS_API_URL: service.baseUrl,
          POSITIONS_API_KEY: service.apiKey,
        },
      });
      const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [last = ''] = out.trim().split('\n').slice(-1);
      expect(last, errors).toMatch(/^\[/);
      const read = { records: 3, zones: 0 };
      expect(JSON.parse(last)).toEqual([
        { ...read, missing: [] },
        { ...read, missing: ['storage'] },
        { ...read, missing: [] },
      ]);
      expect(errors.match(/DATA_DIR can[^"]*/g)).toEqual([
        'DATA_DIR cannot be written',
        'DATA_DIR can be written again',
      ]);
    } finally {
      await disk.remove();
      await service.close(0);
    }
  },
);
