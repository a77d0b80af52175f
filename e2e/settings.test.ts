import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '#testing/free-port.ts';
import { startChild } from './running/child-process.ts';

async function refusalWith(settings: Readonly<Record<string, string>>): Promise<string> {
  const child = startChild(['--conditions=react-server', 'scripts/start.ts'], settings, ['ignore', 'ignore', 'pipe']);
  expect(await child.exited).toBe(1);
  return child.stderr();
}

test.each([
  {
    title: 'All invalid settings are named at once',
    settings: { POSITIONS_API_URL: 'ftp://positions.example/v1', LOG_LEVEL: 'loud', HOME_VIEW: 'here', PORT: 'first' },
    named: ['POSITIONS_API_URL must', 'POSITIONS_API_KEY or', 'LOG_LEVEL must', 'HOME_VIEW must', 'PORT is "first"'],
  },
  {
    title: 'If other machines can reach it, it refuses to start without TLS, even with the embedded service',
    settings: { HOST: '0.0.0.0' },
    named: ['HOST 0.0.0.0 can be reached from other machines. Without TLS', 'ALLOW_PLAIN_HTTP=1'],
  },
])('$title', async ({ settings, named }) => {
  const said = await refusalWith(settings as unknown as Readonly<Record<string, string>>);
  for (const problem of named) expect(said).toContain(problem);
});

test('With a real upstream and no operators it refuses to start, and says why', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-e2e-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const said = await refusalWith({
    POSITIONS_API_URL: 'https://positions.example/v1',
    POSITIONS_API_KEY: randomBytes(16).toString('hex'),
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
  });
  expect(said).toContain(
    `No operator can sign in, and a real upstream needs operators to sign in. Add the first: DATA_DIR=${dataDir} npm run operator -- add NAME --role admin`,
  );
});
