// npm run backup -- FOLDER: backs up a running Lookout. For PostgreSQL it prints the command.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { commandText } from '#lib/commands/command-text.ts';
import { backUpSqlite, pgDumpCommand } from '#lib/server/database/back-up.ts';
import { readPostgresTarget } from '#lib/server/database/postgres-target.ts';
import { DATABASE_FILE } from '#lib/server/database/sqlite-file.ts';
import { storageProblem } from '#lib/server/database/storage-problem.ts';

const [target] = process.argv.slice(2);
const dataDir = resolve(process.env.DATA_DIR?.trim() || 'data');
const url = process.env.DATABASE_URL?.trim();
const postgres = url ? readPostgresTarget(url, process.env.DATABASE_PASSWORD_FILE?.trim() || undefined) : undefined;
if (typeof postgres === 'string') fail(`DATABASE_URL ${postgres}`);
if (target !== undefined && postgres) {
  const copy = resolve(process.env.INIT_CWD ?? '.', target, 'lookout.dump');
  process.stdout.write(
    `All that Lookout keeps is in PostgreSQL. This copies it, with the password in ~/.pgpass:\n  ${pgDumpCommand(postgres, copy)}\n`,
  );
  process.exit(0);
}
if (target === undefined || !existsSync(dataDir)) {
  fail(
    `usage: ${commandText('backup', 'FOLDER')}, with DATA_DIR set; DATA_DIR is ${dataDir}${existsSync(dataDir) ? '' : ', which does not exist'}`,
  );
}
const folder = resolve(process.env.INIT_CWD ?? '.', target);
if (existsSync(folder) && readdirSync(folder).length > 0)
  fail(`${folder} is not empty: name a new folder for each backup.`);

/** Renamed when it is whole. */
const unfinished = `${folder}.unfinished`;
let made: string | undefined;
try {
  rmSync(unfinished, { recursive: true, force: true });
  made = mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  mkdirSync(unfinished, { mode: 0o700 });
  const copied = [...(await copyDatabase()), ...copyReceivers()];
  if (existsSync(folder)) rmdirSync(folder);
  renameSync(unfinished, folder);
  process.stdout.write(copied.map((name) => `${name}\n`).join(''));
  process.stdout.write(`The backup is in ${folder}. It contains secrets: keep it as you keep the key.\n`);
} catch (error) {
  rmSync(unfinished, { recursive: true, force: true });
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
  fail(`There is no backup, and nothing is left in ${folder}: ${remedy(error)}`);
}

function fail(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

function remedy(error: unknown): string {
  const because = error instanceof Error ? error.message : String(error);
  const origin = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (origin instanceof Error && 'code' in origin && origin.code === 'EROFS')
    return `its disk is read-only. Name a folder on another disk (${because}).`;
  if (storageProblem(origin) === 'full')
    return `its disk is full. Make room on it, or name a folder on another disk (${because}).`;
  return because;
}

async function copyDatabase(): Promise<readonly string[]> {
  const [source, copy] = [join(dataDir, DATABASE_FILE), join(unfinished, DATABASE_FILE)];
  if (!existsSync(source)) return [];
  try {
    if (isReadable(source)) await backUpSqlite(source, copy);
    else copyPrivately(source, copy);
  } catch (error) {
    throw new Error(`${source}: ${(error as Error).message}`, { cause: error });
  }
  return [DATABASE_FILE];
}

/**
 * @returns false where SQLite has no room for its index on a full or read-only disk, and left no log: the file is
 * whole as it is
 */
function isReadable(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    database.prepare('select 1 from sqlite_schema').get();
    return true;
  } catch (error) {
    const hasLog = ['-wal', '-journal'].some(
      (suffix) => (statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0,
    );
    if (hasLog || !['full', 'denied'].includes(storageProblem(error) ?? '')) throw error;
    return false;
  } finally {
    database.close();
  }
}

/** A start rebuilds the catalogue from the segments. */
function copyReceivers(): readonly string[] {
  const receivers = join(dataDir, 'receivers');
  if (!existsSync(receivers)) return [];
  // Logs first: a period that is sealed meanwhile is in both, and counts once.
  const copied = [/^reference-secret$/, /^past\/log\/.+\.log$/, /^past\/segments\/.+\.segment$/].flatMap((pattern) =>
    (readdirSync(receivers, { recursive: true }) as string[])
      .filter((name) => pattern.test(name.replaceAll('\\', '/')))
      .filter((name) => copyPrivately(join(receivers, name), join(unfinished, 'receivers', name))),
  );
  return copied.length === 0 ? [] : [`receivers, ${copied.length} files`];
}

function copyPrivately(source: string, copy: string): boolean {
  if (!existsSync(source)) return false;
  mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
  try {
    copyFileSync(source, copy);
  } catch (error) {
    // Deleted as too old meanwhile.
    if (!existsSync(source)) return false;
    throw error;
  }
  chmodSync(copy, 0o600);
  return true;
}
