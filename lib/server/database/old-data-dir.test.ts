import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refuseOldDataDir } from './old-data-dir.ts';

test('a folder with files of an earlier Lookout is refused by their names, and any other is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-old-'));
  for (const name of ['lookout.sqlite', 'in-use.lock']) writeFileSync(join(folder, name), '');
  expect(() => refuseOldDataDir(folder)).not.toThrow();
  expect(() => refuseOldDataDir(join(folder, 'nowhere'))).not.toThrow();
  for (const name of ['views.sqlite', 'audit.sqlite', 'demand-profile.json', 'history-0a1b2c3d.sqlite'])
    writeFileSync(join(folder, name), '');
  expect(() => refuseOldDataDir(folder)).toThrow(
    `DATA_DIR ${folder} has files of an earlier Lookout, which this one does not read: audit.sqlite, demand-profile.json, history-0a1b2c3d.sqlite, views.sqlite. Set DATA_DIR to a new folder`,
  );
});
