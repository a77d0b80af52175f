import 'server-only';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { commandText } from '#lib/commands/command-text.ts';
import { DATABASE_FILE } from './sqlite-file.ts';

/** The folder in DATA_DIR with the restored files in `new`, until they take the place of the present ones. */
const RESTORING = 'restoring';
const NEW = 'new';
const MOVES = 'moves.json';
/** A write-ahead log of another database would damage the restored one. */
const DATABASE_FILES = ['-wal', '-shm', '-journal', ''].map((suffix) => DATABASE_FILE + suffix);

const movesSchema = z.object({
  /** The names in DATA_DIR that were set aside. */
  aside: z.array(z.string()),
  into: z.string(),
  placed: z.array(z.string()),
});

/**
 * Replaces what is in a DATA_DIR by restored files. Until `place` begins, nothing present has changed; after that, a
 * restore that was killed can only be finished, and Lookout refuses the folder until it is.
 */
export class RestoredDataDir {
  /** The caller writes files here as they shall be in DATA_DIR. */
  readonly folder: string;
  readonly #dataDir: string;

  /** Removes what an earlier attempt left before it began to place files. @throws Error if one must be finished */
  constructor(dataDir: string) {
    refuseInterruptedRestore(dataDir);
    this.#dataDir = dataDir;
    this.folder = join(dataDir, RESTORING, NEW);
    this.abandon();
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Gives the restore up. Nothing present has changed, unless `place` has begun. */
  abandon(): void {
    if (!isInterrupted(this.#dataDir)) rmSync(join(this.#dataDir, RESTORING), { recursive: true, force: true });
  }

  /** @returns the folder with what was there before; `undefined` if there was nothing */
  place(now: Date): string | undefined {
    const placed = readdirSync(this.folder);
    const aside = presentData(this.#dataDir, placed);
    const into = `replaced-${now.toISOString().replace(/[-:]|\.\d+/g, '')}`;
    const folder = aside.length > 0 ? join(this.#dataDir, into) : undefined;
    giveToOwner(this.#dataDir, join(this.#dataDir, RESTORING));
    if (folder !== undefined) mkdirSync(folder, { mode: 0o700 });
    try {
      if (folder !== undefined) giveToOwner(this.#dataDir, folder);
      writeDurably(join(this.#dataDir, RESTORING, MOVES), JSON.stringify({ aside, into, placed }));
    } catch (error) {
      if (folder !== undefined) rmdirSync(folder);
      throw error;
    }
    finishRestore(this.#dataDir);
    return folder;
  }
}

/**
 * @param restored top names of what a restore puts into DATA_DIR
 * @returns present files and folders that they replace: with a database also the receivers' data of another one
 */
export function presentData(dataDir: string, restored: readonly string[]): readonly string[] {
  const names = new Set([...(restored.includes(DATABASE_FILE) ? [...DATABASE_FILES, 'receivers'] : []), ...restored]);
  return [...names].filter((name) => existsSync(join(dataDir, name)));
}

/** @returns whether there was one to finish */
export function finishRestore(dataDir: string): boolean {
  const restoring = join(dataDir, RESTORING);
  if (!isInterrupted(dataDir)) return false;
  const { aside, into, placed } = movesSchema.parse(JSON.parse(readFileSync(join(restoring, MOVES), 'utf8')));
  // Before the interruption, some were moved, and restored ones may have their names.
  for (const name of aside)
    if (!existsSync(join(dataDir, into, name)) && existsSync(join(dataDir, name)))
      renameSync(join(dataDir, name), join(dataDir, into, name));
  for (const name of placed) {
    if (!existsSync(join(restoring, NEW, name))) continue;
    if (existsSync(join(dataDir, name))) {
      // The folder may have been made since the interruption.
      mkdirSync(join(dataDir, into), { recursive: true, mode: 0o700 });
      renameSync(join(dataDir, name), freeName(join(dataDir, into, name)));
    }
    renameSync(join(restoring, NEW, name), join(dataDir, name));
  }
  if (aside.length > 0) syncPath(join(dataDir, into));
  syncPath(dataDir);
  rmSync(join(restoring, MOVES));
  rmSync(restoring, { recursive: true });
  return true;
}

/** @throws Error that says what to do */
export function refuseInterruptedRestore(dataDir: string): void {
  if (isInterrupted(dataDir))
    throw new Error(
      `A restore into DATA_DIR ${dataDir} was interrupted while it put files in place: finish it with ${commandText('restore', '--continue')}.`,
    );
}

export function isInterrupted(dataDir: string): boolean {
  return existsSync(join(dataDir, RESTORING, MOVES));
}

function freeName(path: string): string {
  for (let number = 1; ; number++)
    if (!existsSync(/* turbopackIgnore: true */ `${path}.${number}`)) return `${path}.${number}`;
}

/** Root's commands must leave files to Lookout's user. */
export function giveToOwner(dataDir: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDir);
  chownSync(path, uid, gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath, entry.name), uid, gid);
}

function writeDurably(file: string, text: string): void {
  const descriptor = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
  syncPath(join(file, '..'));
}

/** Makes a file, or the names in a folder, survive the machine. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
