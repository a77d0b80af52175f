import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '#testing/memory-folder.ts';
import { openDatabase } from './open-database.ts';

let migrated: Promise<Buffer> | undefined;

/** The bytes of an SQLite file with the tables of this build, and no rows. */
export function migratedFile(): Promise<Buffer> {
  migrated ??= migrate();
  return migrated;
}

async function migrate(): Promise<Buffer> {
  const folder = memoryFolder('lookout-migrated-');
  const file = join(folder, 'lookout.sqlite');
  try {
    await (await openDatabase({ dialect: 'sqlite', file })).close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Private, as Lookout makes it. */
export function writeMigrated(file: string, bytes: Buffer): void {
  writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
}
