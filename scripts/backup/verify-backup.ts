// Opens a backup, and compares digests and counts with those of its manifest.
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { readSqliteCopy, type StoredTables } from '#lib/server/database/back-up.ts';
import { DATABASE_FILE } from '#lib/server/database/sqlite-file.ts';
import { listSegments, segmentFile } from '#service/past/files/file-store.ts';
import { readLog } from '#service/past/log-entry.ts';
import { readEntry } from '#service/past/segment/segment-entry.ts';
import { FileBytes } from '#service/past/segment/segment-reader.ts';
import { DUMP_FILE, digestOf, LOCK_FILE, MANIFEST_FILE, type Manifest, readManifest } from './backup-form.ts';
import { programsToRead, readDump } from './postgres-dump.ts';

export interface Verification {
  /** `undefined` if it cannot be read. */
  readonly manifest: Manifest | undefined;
  /** Empty where the backup is unchanged. */
  readonly problems: readonly string[];
  /** Why the dump was not opened, though its digest is right. */
  readonly unopened: string | undefined;
  /** Files that were added later; a restore leaves them. */
  readonly added: readonly string[];
}

export async function verifyBackup(folder: string): Promise<Verification> {
  let manifest: Manifest;
  try {
    manifest = readManifest(folder);
  } catch (error) {
    return { manifest: undefined, problems: [(error as Error).message], unopened: undefined, added: [] };
  }
  const problems: string[] = [];
  const damaged = new Set<string>();
  let unopened: string | undefined;
  for (const [name, made] of Object.entries(manifest.files)) {
    const problem = await fileProblem(join(folder, name), made);
    if (problem === undefined) continue;
    damaged.add(name);
    problems.push(`${name} ${problem}`);
  }
  const { kind } = manifest.database;
  const database = kind === 'sqlite' ? DATABASE_FILE : DUMP_FILE;
  if (!Object.hasOwn(manifest.files, database)) problems.push(`${MANIFEST_FILE} does not list ${database}`);
  else if (kind === 'postgres' && !programsToRead())
    unopened = `${DUMP_FILE} was not opened: install postgresql-client, which has pg_restore`;
  else if (!damaged.has(database)) problems.push(...(await databaseProblems(folder, manifest)));
  // Damaged files of the past are named already.
  if (damaged.size === 0) {
    const { segments, logs, records } = await countPast(folder);
    const { past } = manifest;
    for (const [what, found, made] of [
      ['segments', segments, past.segments],
      ['logs', logs, past.logs],
      ['records', records, past.records],
    ] as const)
      if (found !== made) problems.push(`the receivers’ past has ${found} ${what}, and had ${made} when it was copied`);
  }
  const added = filesIn(folder).filter(
    (name) => name !== MANIFEST_FILE && name !== LOCK_FILE && !Object.hasOwn(manifest.files, name),
  );
  return { manifest, problems, unopened, added };
}

async function fileProblem(file: string, made: Manifest['files'][string]): Promise<string | undefined> {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return 'is missing';
  if (!stat.isFile()) return 'is not a file';
  if (stat.size !== made.bytes) return `has ${stat.size} bytes, and had ${made.bytes} when it was copied`;
  try {
    return (await digestOf(file)).sha256 === made.sha256 ? undefined : 'is damaged: its SHA-256 is another';
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`;
  }
}

async function databaseProblems(folder: string, { database }: Manifest): Promise<readonly string[]> {
  try {
    if (database.kind === 'sqlite') return countProblems(database, readSqliteCopy(join(folder, DATABASE_FILE)));
    const programs = programsToRead();
    return programs ? countProblems(database, await readDump(programs, join(folder, DUMP_FILE))) : [];
  } catch (error) {
    return [`the database cannot be opened: ${(error as Error).message}`];
  }
}

/** @returns each table with another number of rows */
export function countProblems(made: StoredTables, found: StoredTables): readonly string[] {
  const tables = new Set([...Object.keys(made.rows), ...Object.keys(found.rows)]);
  const problems = [...tables].flatMap((table) => {
    const [before, now] = [made.rows[table], found.rows[table]];
    if (before === now) return [];
    return [`table ${table} has ${now ?? 'no'} rows, and had ${before ?? 'none'} when it was copied`];
  });
  return made.migrations.join() === found.migrations.join() ? problems : [...problems, 'the migrations are others'];
}

/** A record of a period that was sealed meanwhile is in a log and in a segment, and counts twice. */
export async function countPast(folder: string): Promise<Manifest['past']> {
  const past = join(folder, 'receivers/past');
  let [segments, logs, records] = [0, 0, 0];
  if (existsSync(join(past, 'segments'))) {
    for (const period of (await listSegments(join(past, 'segments'))).values()) {
      segments += 1;
      records += await readableCount(async () => {
        const bytes = new FileBytes(segmentFile(join(past, 'segments'), period));
        try {
          return (await readEntry(bytes, await bytes.size(), period)).count;
        } finally {
          await bytes.close();
        }
      });
    }
  }
  for (const name of existsSync(join(past, 'log')) ? readdirSync(join(past, 'log')) : []) {
    if (!name.endsWith('.log')) continue;
    logs += 1;
    records += await readableCount(async () =>
      readLog(await readFile(join(past, 'log', name))).entries.reduce((sum, { rows }) => sum + rows.length, 0),
    );
  }
  return { segments, logs, records };
}

/** 0 for a file that was damaged, or of another Lookout, when it was copied: the service marks its answers. */
async function readableCount(count: () => Promise<number>): Promise<number> {
  try {
    return await count();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    return 0;
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    );
}
