import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from './lookout-test.ts';
import { addOperator } from './running/operators.ts';
import { type RunningApp, startApp } from './running/running-app.ts';
import { startService } from './running/running-service.ts';

test('Stores are opened before anybody is answered, and a damaged one stops the start', async ({ request }) => {
  const service = await startService();
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-starting-'));
  const { name, password } = await addOperator({ DATA_DIR: dataDir }, 'alice');
  const settings = {
    POSITIONS_API_URL: service.baseUrl,
    POSITIONS_API_KEY: service.apiKey,
    DATA_DIR: dataDir,
  };
  const refusal = (changed: Readonly<Record<string, string>> = {}) =>
    startApp({ ...settings, ...changed }).then(
      async (started) => {
        await started.stop();
        return 'started';
      },
      (error: Error) => error.message,
    );
  let app: RunningApp | undefined;
  try {
    await test.step('With whole stores it starts', async () => {
      app = await startApp(settings);
      const session = await request.post(`${app.url}/api/session`, {
        headers: { 'sec-fetch-site': 'same-origin' },
        data: { name, password },
      });
      expect(session.ok()).toBe(true);
      expect((await request.get(`${app.url}/api/status`)).status()).toBe(200);
    });

    await test.step('A second process on the same folder is refused in words, and the first one is not disturbed', async () => {
      const refused = await refusal();
      expect(refused).toContain('ended with 1');
      expect(refused).toContain(
        `Another Lookout uses DATA_DIR ${dataDir}: stop that one, or give this one another DATA_DIR.`,
      );
      expect((await request.get(`${app?.url}/api/status`)).status()).toBe(200);
    });

    await test.step('A damaged store stops the start, with the name of the file and what to do; the file stays as it is', async () => {
      // Killed, so that a lock would be left behind if there were one that could be.
      await app?.kill();
      app = undefined;
      const path = join(dataDir, 'lookout.sqlite');
      // From its log SQLite would make the file whole again.
      rmSync(`${path}-wal`, { force: true });
      writeFileSync(path, 'not a database '.repeat(1000));
      const refused = await refusal();
      expect(refused).toContain('ended with 1:\nLookout cannot start:');
      expect(refused).toContain(path);
      expect(refused).toContain('put the latest backup in its place, or move it away');
      expect(readFileSync(path, 'utf8')).toBe('not a database '.repeat(1000));
    });
  } finally {
    await app?.stop();
    await service.stop();
  }
});
