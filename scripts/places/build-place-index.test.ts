import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

test('two processes that build the index at the same time leave one whole index', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-places-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const build = () =>
    promisify(execFile)(process.execPath, [
      '--conditions=react-server',
      'scripts/places/build-place-index.ts',
      join(folder, 'places.sqlite'),
    ]);
  await Promise.all([build(), build()]);
  expect(readdirSync(folder)).toEqual(['places.sqlite']);
});
