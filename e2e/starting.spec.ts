import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from './lookout-test.ts';
import { addOperator } from './running/operators.ts';
import { type RunningApp, startApp } from './running/running-app.ts';
import { startService } from './running/running-service.ts';

/** The name of a file that belongs to an account, which the upstream's address stands for. */
function accountFile(name: string, baseUrl: string): string {
  return `${name}-${createHash('sha256').update(baseUrl).digest('hex').slice(0, 8)}.sqlite`;
}

/** A database with content, of which a part was overwritten. */
function writeDamagedDatabase(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`create table session (id text) strict; insert into session values ('${'x'.repeat(20_000)}')`);
  database.close();
  truncateSync(file, 6000);
}

test('A damaged store is set aside and made anew before anybody is answered, or stops the start if it cannot be made anew', async ({
  request,
}) => {
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
  const history = accountFile('history', service.baseUrl);
  let app: RunningApp | undefined;
  try {
    const renewable = ['demand-profile.json', history];
    await test.step('What can be made anew is set aside under a name with the time, and the log says so', async () => {
      writeDamagedDatabase(join(dataDir, history));
      writeFileSync(join(dataDir, 'demand-profile.json'), '[0.5, 0.');
      app = await startApp(settings);
      const session = await request.post(`${app.url}/api/session`, {
        headers: { 'sec-fetch-site': 'same-origin' },
        data: { name, password },
      });
      expect(session.ok()).toBe(true);
      expect((await request.get(`${app.url}/api/status`)).status()).toBe(200);
      for (const file of renewable) {
        const aside = readdirSync(dataDir).filter((each) => each.startsWith(`${file}.damaged-`));
        expect(aside).toEqual([expect.stringMatching(/\.damaged-\d{8}T\d{6}Z$/)]);
        await expect
          .poll(() => app?.stderr())
          .toContain(`"file":"${join(dataDir, file)}","set_aside_as":"${join(dataDir, aside[0] ?? '')}"`);
      }
    });

    await test.step('A second process on the same folder is refused in words, and the first one is not disturbed', async () => {
      const refused = await refusal();
      expect(refused).toContain('ended with 1');
      expect(refused).toContain(
        `Another Lookout uses DATA_DIR ${dataDir}: stop that one, or give this one another DATA_DIR.`,
      );
      expect((await request.get(`${app?.url}/api/status`)).status()).toBe(200);
    });

    await test.step('What cannot be made anew stops the start, with the name of the file and what to do; the file stays as it is', async () => {
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
