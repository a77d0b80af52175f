import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolders } from './make-folders.ts';

test('folders that are missing are made, all with the mode, and one that is there is left alone', () => {
  const base = mkdtempSync(join(tmpdir(), 'lookout-folders-'));
  makeFolders(join(base, 'a/b'), 0o700);
  makeFolders(join(base, 'a/b'), 0o755);
  expect(['a', 'a/b'].map((name) => statSync(join(base, name)).mode & 0o777)).toEqual([0o700, 0o700]);
});

test.skipIf(process.platform !== 'linux')('where none can be made it fails at once', () => {
  expect(() => makeFolders('/proc/nowhere/data', 0o700)).toThrow('ENOENT');
});
