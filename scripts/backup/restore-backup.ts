// Puts a verified backup in the place of a Lookout that does not run: whole, or not at all.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { commandText } from '#lib/commands/command-text.ts';
import { type StoredTables, schemaProblem } from '#lib/server/database/back-up.ts';
import { lockDataDir } from '#lib/server/database/data-dir-lock.ts';
import type { DatabaseTarget } from '#lib/server/database/open-database.ts';
import { type PostgresTarget, targetText } from '#lib/server/database/postgres-target.ts';
import {
  finishRestore,
  giveToOwner,
  isInterrupted,
  presentData,
  RestoredDataDir,
  refuseInterruptedRestore,
} from '#lib/server/database/restored-data-dir.ts';
import { lockForServing } from '#service/data-dir/open-data-dir.ts';
import { copyFiles, DUMP_FILE, type Manifest } from './backup-form.ts';
import {
  nameForTablesSetAside,
  programsToRead,
  restoreCommand,
  restoreDump,
  stateOfTarget,
  writeCertificates,
} from './postgres-dump.ts';
import { countProblems, verifyBackup } from './verify-backup.ts';

export interface RestoreOptions {
  readonly folder: string;
  readonly dataDir: string;
  readonly database: DatabaseTarget;
  /** Moves present data to a dated name; without it, present data is a refusal. */
  readonly setAside: boolean;
}

export interface Restored {
  readonly manifest: Manifest;
  /** Where the data from before is. */
  readonly aside: readonly string[];
}

/** @throws Error that says what to do; then nothing has changed, except where it says so */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { folder, database } = options;
  const { manifest, problems } = await verifyBackup(folder);
  if (!manifest || problems.length > 0)
    throw new Error(`${folder} is not a whole backup:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  const { kind, migrations, differences } = manifest.database;
  const schema = schemaProblem(migrations);
  if (schema !== undefined)
    throw new Error(
      `The backup ${schema}: restore it with the Lookout that made it, version ${manifest.lookout}, or a newer one.`,
    );
  if (differences.length > 0)
    throw new Error(
      `The backup has tables that were altered: ${differences.join('; ')}. Undo that in the database that was backed up, or restore with the build that made them.`,
    );
  if (kind !== database.dialect)
    throw new Error(
      kind === 'postgres'
        ? 'The backup is of PostgreSQL: set DATABASE_URL to an empty database.'
        : 'The backup is of SQLite, and DATABASE_URL is set: restore it without, into a DATA_DIR.',
    );
  const names = Object.keys(manifest.files).filter((name) => name !== DUMP_FILE);
  // Servers with PostgreSQL may have their DATA_DIR on other machines.
  const locked = names.length > 0 || existsSync(options.dataDir) ? lockAll(options.dataDir) : undefined;
  try {
    refuseInterruptedRestore(options.dataDir);
    const files = names.length > 0 ? await stageFiles(options, manifest, names) : undefined;
    try {
      const tables = database.dialect === 'postgres' ? await restorePostgres(options, database, manifest) : [];
      return { manifest, aside: [...tables, ...(files ? placeFiles(files, options, tables.length > 0) : [])] };
    } finally {
      files?.abandon();
    }
  } finally {
    locked?.release();
  }
}

/** A part is in place; the message says how to go on. */
export class RestoreUnfinished extends Error {}

/** Completes a restore that was killed while it put files in place. @returns whether there was one */
export function continueRestore(dataDir: string): boolean {
  const locked = lockAll(dataDir);
  try {
    return finishRestore(resolve(dataDir));
  } finally {
    locked.release();
  }
}

/** @throws Error while a Lookout or its service runs */
function lockAll(dataDir: string): { release(): void } {
  const lookout = lockDataDir(dataDir);
  giveToOwner(dataDir, join(dataDir, 'in-use.lock'));
  const receivers = join(dataDir, 'receivers');
  try {
    const service = existsSync(join(receivers, 'serve.lock'))
      ? lockForServing(join(receivers, 'serve.lock'), receivers)
      : undefined;
    return {
      release() {
        service?.release();
        lookout.release();
      },
    };
  } catch (error) {
    lookout.release();
    throw error;
  }
}

async function stageFiles(
  { folder, dataDir, setAside }: RestoreOptions,
  { files }: Manifest,
  names: readonly string[],
): Promise<RestoredDataDir> {
  const present = presentData(dataDir, [...new Set(names.map((name) => name.split('/', 1)[0]!))]);
  if (present.length > 0 && !setAside)
    throw new Error(
      `DATA_DIR ${dataDir} has data: ${present.filter((name) => !name.includes('sqlite-')).join(', ')}. ${commandText('restore', '--set-aside FOLDER')} moves it to a folder in DATA_DIR, or set another DATA_DIR.`,
    );
  const restored = new RestoredDataDir(dataDir);
  try {
    const copied = await copyFiles(folder, restored.folder, names);
    const changed = names.find((name) => copied[name]?.sha256 !== files[name]?.sha256);
    if (changed !== undefined) throw new Error(`${join(folder, changed)} changed while it was copied.`);
    return restored;
  } catch (error) {
    restored.abandon();
    throw error;
  }
}

function placeFiles(
  restored: RestoredDataDir,
  { dataDir }: RestoreOptions,
  isDatabaseRestored: boolean,
): readonly string[] {
  try {
    const aside = restored.place(new Date());
    return aside === undefined ? [] : [aside];
  } catch (error) {
    const because = (error as Error).message;
    if (isInterrupted(dataDir))
      throw new RestoreUnfinished(
        `A part of the files is in place (${because}): finish it with ${commandText('restore', '--continue')}.`,
        { cause: error },
      );
    if (!isDatabaseRestored) throw error;
    throw new RestoreUnfinished(
      `The database is restored, and no file of DATA_DIR is (${because}). Restore again with --set-aside.`,
      { cause: error },
    );
  }
}

async function restorePostgres(
  { folder, setAside }: RestoreOptions,
  target: PostgresTarget,
  { database: made }: Manifest,
): Promise<readonly string[]> {
  const where = `PostgreSQL at ${targetText(target)}`;
  const state = await stateOfTarget(target);
  if (state.isInUse)
    throw new Error(`A Lookout runs with ${where}: stop all its servers. A killed one counts for 16 s.`);
  if (state.tables > 0 && !setAside)
    throw new Error(
      `The database is not empty (${where}): make another one, or let ${commandText('restore', '--set-aside FOLDER')} move its tables to a schema of another name.`,
    );
  const dump = join(folder, DUMP_FILE);
  const programs = programsToRead();
  if (!programs)
    throw new Error(
      `pg_restore is not on this machine. Install postgresql-client-${state.serverMajor}, or run this where it is, into an empty database:\n  ${restoreCommand(target, dump)}\n`,
    );
  const aside = state.tables > 0 ? nameForTablesSetAside(new Date()) : undefined;
  const temporary = mkdtempSync(join(tmpdir(), 'lookout-restore-'));
  const certificates = join(temporary, 'certificates');
  try {
    writeCertificates(certificates);
    await restoreDump(programs, dump, target, certificates, aside, (found: StoredTables) => {
      const problems = countProblems(made, found);
      if (problems.length > 0) throw new Error(problems.join(', '));
    });
  } catch (error) {
    throw new Error(`${where} is unchanged: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(temporary, { recursive: true });
  }
  return aside === undefined ? [] : [`schema ${aside} of ${where}`];
}
