// Makes a backup of one moment, also while Lookout runs: whole under its name, or not at all.
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { copySqlite, emptinessOf, readSqliteCopy, type StoredTables } from '#lib/server/database/back-up.ts';
import { isDataDirInUse, isLocked } from '#lib/server/database/data-dir.ts';
import type { DatabaseTarget } from '#lib/server/database/open-database.ts';
import { type PostgresTarget, postgresName } from '#lib/server/database/postgres-target.ts';
import { refuseInterruptedRestore } from '#lib/server/database/restored-data-dir.ts';
import { schemaOf } from '#lib/server/database/schema.ts';
import { DATABASE_FILE } from '#lib/server/database/sqlite-file.ts';
import {
  type BackupPart,
  copyFiles,
  DUMP_FILE,
  digestOf,
  type FileDigest,
  LOCK_FILE,
  listDataDir,
  MANIFEST_FILE,
  type Manifest,
  readManifest,
  syncFolder,
  UNFINISHED,
  writeDigested,
} from './backup-form.ts';
import { dumpCommand, PostgresSnapshot, programsToDump, readDump, writeCertificates } from './postgres-dump.ts';
import { countPast, countProblems } from './verify-backup.ts';

export interface BackupOptions {
  readonly dataDir: string;
  readonly database: DatabaseTarget;
  /** The folder is new or empty. */
  readonly folder: string;
  readonly parts: readonly BackupPart[];
  readonly version: string;
  /** Files elsewhere that belong to this Lookout, each with its reason. */
  readonly elsewhere: readonly string[];
}

/**
 * Verifies what it copied while that is cheap: `verifyBackup` reads everything again.
 * @throws Error that says what to do; then nothing is left
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { folder, dataDir, database } = options;
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: name a new folder for each backup.`);
  refuseInterruptedRestore(dataDir);
  if (database.dialect === 'sqlite') refuseOtherDatabase(dataDir, database.file);
  const unfinished = folder + UNFINISHED;
  const made = mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  let lock: DatabaseSync | undefined;
  try {
    lock = beginFolder(unfinished);
    const manifest = await fill(unfinished, options);
    await writeManifest(unfinished, manifest);
    await syncFolder(unfinished);
    if (existsSync(folder)) rmdirSync(folder);
    // The file of the lock marks the folder as a backup's until it has its name.
    lock.close();
    renameSync(unfinished, folder);
    lock = undefined;
    rmSync(join(folder, LOCK_FILE));
    await syncFolder(folder);
    await syncFolder(dirname(folder));
    return manifest;
  } catch (error) {
    if (lock) {
      if (lock.isOpen) lock.close();
      rmSync(unfinished, { recursive: true, force: true });
    }
    removeEmpty(dirname(folder), made);
    throw error;
  }
}

/** A Lookout that runs there without this file uses another database: the file is of an earlier time. */
function refuseOtherDatabase(dataDir: string, file: string): void {
  if (!existsSync(file))
    throw new Error(`There is no database at ${file}: set DATA_DIR or DATABASE_URL as for Lookout itself.`);
  // Several servers of one machine have their DATA_DIR in folders of the first one's.
  const folders = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const dataDirs = [dataDir, ...folders.map(({ name }) => join(dataDir, name))];
  const running = dataDirs.find((each) => isDataDirInUse(each));
  if (running !== undefined && !isOpenElsewhere(file))
    throw new Error(
      `The Lookout that runs with DATA_DIR ${running} does not use ${file}, which is of an earlier time: set DATABASE_URL as for Lookout itself.`,
    );
}

/** @returns true where that is not known */
function isOpenElsewhere(file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    // Each connection with a write-ahead log keeps a shared lock on the file.
    database.exec('pragma locking_mode = exclusive');
    database.prepare('select 1 from sqlite_schema').get();
    return false;
  } catch {
    return true;
  } finally {
    database?.close();
  }
}

/** Removes what a killed backup left. @returns a lock that ends with this process */
function beginFolder(unfinished: string): DatabaseSync {
  if (existsSync(unfinished)) {
    if (!isLeftover(unfinished))
      throw new Error(`${unfinished} is there: another backup is running, or it is not of a backup.`);
    rmSync(unfinished, { recursive: true });
  }
  mkdirSync(unfinished, { mode: 0o700 });
  const lock = new DatabaseSync(join(unfinished, LOCK_FILE));
  // A journal in memory needs no room on disk.
  lock.exec('pragma journal_mode = memory; begin exclusive');
  return lock;
}

function isLeftover(unfinished: string): boolean {
  // One that was killed at once had not made its lock yet.
  const names = readdirSync(unfinished);
  return names.length === 0 || (names.includes(LOCK_FILE) && !isLocked(join(unfinished, LOCK_FILE)));
}

/** @param top the uppermost folder that this process made */
function removeEmpty(folder: string, top: string | undefined): void {
  if (top === undefined || !existsSync(folder) || !`${folder}/`.startsWith(`${top}/`)) return;
  try {
    rmdirSync(folder);
  } catch {
    // Another process put something there.
    return;
  }
  removeEmpty(dirname(folder), top);
}

async function fill(unfinished: string, options: BackupOptions): Promise<Manifest> {
  const { dataDir, database, parts, version, elsewhere } = options;
  const made = new Date().toISOString();
  const stored =
    database.dialect === 'sqlite'
      ? await fillFromSqlite(database.file, unfinished)
      : await fillFromPostgres(database, dataDir, unfinished);
  const { notTaken } = listDataDir(dataDir, parts);
  const files: Record<string, FileDigest> = stored.files;
  for (const isOfTurn of [isLog, (name: string) => !isLog(name)]) {
    // Listed again: segments that were sealed since the logs were copied have what those lack.
    const names = listDataDir(dataDir, parts).taken.filter(isOfTurn);
    Object.assign(files, await copyFiles(dataDir, unfinished, names));
  }
  return {
    format: 1,
    lookout: version,
    made,
    database: {
      kind: database.dialect,
      rows: { ...stored.tables.rows },
      migrations: [...stored.tables.migrations],
      differences: [...(await differencesOf(database, unfinished))],
    },
    past: await countPast(unfinished),
    files,
    not_taken: [
      'the ledger (an old one would count wrong) and the cache of the past',
      ...stored.notTaken,
      ...notTaken,
      ...elsewhere,
    ],
  };
}

function isLog(name: string): boolean {
  return name.endsWith('.log');
}

/** A backup of altered tables is made, since it may be the last one. */
async function differencesOf(database: DatabaseTarget, unfinished: string): Promise<readonly string[]> {
  const state = await schemaOf(
    // The original cannot be opened while its disk is full.
    database.dialect === 'sqlite' ? { ...database, file: join(unfinished, DATABASE_FILE) } : database,
  );
  return state.kind === 'altered' ? state.differences : [];
}

interface Filled {
  readonly tables: StoredTables;
  readonly files: Record<string, FileDigest>;
  readonly notTaken: readonly string[];
}

async function fillFromSqlite(file: string, unfinished: string): Promise<Filled> {
  const copy = join(unfinished, DATABASE_FILE);
  try {
    await copySqlite(file, copy);
    const tables = readSqliteCopy(copy);
    await refuseEmpty(file, tables);
    const handle = await open(copy, 'r');
    await handle.sync().finally(() => handle.close());
    return { tables, files: { [DATABASE_FILE]: await digestOf(copy) }, notTaken: [] };
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

async function fillFromPostgres(target: PostgresTarget, dataDir: string, unfinished: string): Promise<Filled> {
  const where = postgresName(target);
  const dump = join(unfinished, DUMP_FILE);
  const certificates = join(unfinished, '.certificates');
  const snapshot = await PostgresSnapshot.take(target);
  try {
    const { tables, serverMajor } = snapshot;
    await refuseEmpty(where, tables);
    const programs = programsToDump(serverMajor);
    if (!programs) {
      const folder = unfinished.slice(0, -UNFINISHED.length);
      throw new Error(
        `pg_dump ${serverMajor} or newer is not on this machine. Install postgresql-client-${serverMajor}, or run this where it is:\n  ${dumpCommand(target, folder)}\n`,
      );
    }
    writeCertificates(certificates);
    const digest = await writeDigested(snapshot.dump(programs, target, certificates), dump);
    const problems = countProblems(tables, await readDump(programs, dump));
    if (problems.length > 0) throw new Error(`The dump of ${where} is not whole: ${problems.join(', ')}`);
    const notTaken = existsSync(join(dataDir, DATABASE_FILE))
      ? [`${DATABASE_FILE} in DATA_DIR: DATABASE_URL is set, so it is of an earlier time`]
      : [];
    return { tables, files: { [DUMP_FILE]: digest }, notTaken };
  } finally {
    await snapshot.close();
    rmSync(certificates, { force: true });
  }
}

async function refuseEmpty(where: string, tables: StoredTables): Promise<void> {
  const why = await emptinessOf(tables);
  if (why !== undefined)
    throw new Error(`The database ${why} (${where}): set DATA_DIR or DATABASE_URL as for Lookout itself.`);
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const handle = await open(join(folder, MANIFEST_FILE), 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const LAST_BACKUP = 'last-backup.json';

/** For the age of the latest backup. Never throws: the backup is good without it. */
export function noteBackup(dataDir: string, noted: { made: string; verified: string | null; folder: string }): void {
  const file = join(dataDir, LAST_BACKUP);
  try {
    if (!existsSync(dataDir)) return;
    const { uid, gid } = statSync(dataDir);
    writeFileSync(`${file}.new`, `${JSON.stringify(noted)}\n`, { mode: 0o600 });
    // Root's commands must leave it to Lookout's user.
    if (process.getuid?.() === 0) chownSync(`${file}.new`, uid, gid);
    renameSync(`${file}.new`, file);
  } catch {
    rmSync(`${file}.new`, { force: true });
  }
}

/** Notes the verification of the latest backup. */
export function noteVerified(dataDir: string, made: string, folder: string): void {
  try {
    const last = JSON.parse(readFileSync(join(dataDir, LAST_BACKUP), 'utf8')) as { made?: unknown };
    if (last.made === made) noteBackup(dataDir, { made, verified: new Date().toISOString(), folder });
  } catch {
    // There is no such file.
  }
}

const DATED = /^\d{4}-\d\d-\d\dT\d{6}Z$/;
const DELETED = '.deleted';

/** `2026-11-28T170000Z`: sorts by time. */
export function datedName(now: Date): string {
  return now.toISOString().replace(/:|\.\d+/g, '');
}

/** Whole backups with dated names, oldest first. */
export function datedBackups(folder: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => DATED.test(name)) : [];
  return names
    .filter((name) => {
      try {
        return readManifest(join(folder, name)).made !== '';
      } catch {
        return false;
      }
    })
    .sort()
    .map((name) => join(folder, name));
}

/**
 * Deletes the oldest whole backups with dated names, and what killed backups and rotations left. Everything else stays.
 * @param made the new one, which stays also where the clock was set back
 * @returns the deleted ones
 */
export function rotate(folder: string, keep: number, made: string): readonly string[] {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const [, dated = '', suffix] = /^(.+)(\.\w+)$/.exec(name) ?? [];
    if (!DATED.test(dated)) continue;
    if (suffix === DELETED || (suffix === UNFINISHED && isLeftover(path))) rmSync(path, { recursive: true });
  }
  const others = datedBackups(folder).filter((path) => path !== made);
  const old = others.slice(0, Math.max(0, others.length + 1 - keep));
  for (const path of old) {
    // Under this name, a half deleted backup is not taken for a whole one.
    renameSync(path, path + DELETED);
    rmSync(path + DELETED, { recursive: true });
  }
  return old.map((path) => basename(path));
}
