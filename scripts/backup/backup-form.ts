// The form of a backup: its manifest, and the files of DATA_DIR that it takes.
import { createHash } from 'node:crypto';
import { createReadStream, type Dirent, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { z } from 'zod';
import { mapConcurrently } from '#lib/async/map-concurrently.ts';
import { storageProblem } from '#lib/server/database/database-failure.ts';

export const MANIFEST_FILE = 'manifest.json';
export const DUMP_FILE = 'lookout.dump';
/** The suffix of a backup in the making. */
export const UNFINISHED = '.unfinished';
/** In a backup that is made. One that was killed right after its end still has it. */
export const LOCK_FILE = '.in-progress';

const count = z.int().nonnegative();
/** Relative, without `..`: a restore writes only within its folder. */
const fileName = z.string().regex(/^(?!.*(^|\/)\.{1,2}(\/|$))[^/\\\0]+(\/[^/\\\0]+)*$/);

const manifestSchema = z.object({
  format: z.literal(1),
  /** The version that made it. */
  lookout: z.string(),
  made: z.iso.datetime(),
  database: z.object({
    kind: z.enum(['sqlite', 'postgres']),
    migrations: z.array(z.string()),
    /** How its tables differ from those that these migrations make. */
    differences: z.array(z.string()),
    rows: z.record(z.string(), count),
  }),
  past: z.object({ segments: count, logs: count, records: count }),
  files: z.record(fileName, z.object({ bytes: count, sha256: z.hex().length(64) })),
  not_taken: z.array(z.string()),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type FileDigest = Manifest['files'][string];

/** @throws Error that says what is wrong */
export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST_FILE);
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) throw new Error(`There is no folder ${folder}.`);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
    throw new Error(`${file} is missing: ${folder} is no backup, or not a whole one.`);
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new Error(`${file} is damaged, or of another version of Lookout: ${why}`);
  }
}

export const PARTS = ['past', 'reference-secret', 'maps'] as const;
export type BackupPart = (typeof PARTS)[number];

interface Kind {
  readonly pattern: RegExp;
  /** Copied with this part, or not at all. */
  readonly part?: BackupPart;
  /** Said of a file that is not taken; a kind without it needs no words. */
  readonly why?: string;
}

/** The first that matches a path in DATA_DIR decides its kind. */
const KINDS: readonly Kind[] = [
  { pattern: /^receivers\/past\/log\/.+\.log$/, part: 'past', why: 'left out with --without past' },
  { pattern: /^receivers\/past\/segments\/.+\.segment$/, part: 'past', why: 'left out with --without past' },
  {
    pattern: /^receivers\/(stations|reception|reach)\/\d{4}-\d\d-\d\d\.json$/,
    part: 'past',
    why: 'left out with --without past',
  },
  {
    pattern: /^receivers\/reference-secret$/,
    part: 'reference-secret',
    why: 'left out with --without reference-secret',
  },
  { pattern: /^maps\/.+\.pmtiles$/i, part: 'maps', why: 'a map: --with maps takes it' },
  { pattern: /^receivers\/past\/catalogue\.sqlite/, why: 'a start rebuilds it from the segments' },
  { pattern: /^receivers\/past-may-be-deleted-before$/, why: 'the consent to one deletion' },
  {
    pattern: /^receivers\/accounts\.sqlite$/,
    why: 'accounts of a service that runs apart: its own command copies them',
  },
  { pattern: /^replaced-/, why: 'what a restore set aside' },
  { pattern: /^restoring$/, why: 'what a killed restore left; the next one removes it' },
  { pattern: /^lookout-[\w-]+\.sqlite$/, why: 'the copy from before a migration' },
  { pattern: /(^|\/)lookout\.sqlite(-wal|-shm|-journal)?$/ },
  { pattern: /(^|\/)((in-use|serve)\.lock(-journal)?|probe|last-backup\.json)$/ },
  { pattern: /\.(sock|unfinished|new|part)$/ },
];

interface DataDirContents {
  /** Relative paths with slashes. */
  readonly taken: readonly string[];
  /** Each is `NAME: why`. */
  readonly notTaken: readonly string[];
}

/** @param parts to take */
export function listDataDir(dataDir: string, parts: readonly BackupPart[]): DataDirContents {
  const taken: string[] = [];
  /** By folder and reason: a past has thousands of files. */
  const left = new Map<string, { names: string[]; bytes: number }>();
  for (const { name, entry } of filesOf(dataDir)) {
    const kind = KINDS.find(({ pattern }) => pattern.test(name));
    if (kind?.part !== undefined && parts.includes(kind.part) && entry.isFile()) taken.push(name);
    else if (kind === undefined || kind.why !== undefined) {
      const why = entry.isSymbolicLink() ? 'a link' : (kind?.why ?? 'a backup has no such file');
      const group = left.get(why) ?? { names: [], bytes: 0 };
      group.names.push(name);
      group.bytes += entry.isFile() ? (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0) : 0;
      left.set(why, group);
    }
  }
  return {
    taken,
    notTaken: [...left].map(([why, { names, bytes }]) => `${namesText(names)} (${sizeText(bytes)}): ${why}`),
  };
}

const NAMES_MAX = 5;

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).join(', ');
  return names.length > NAMES_MAX ? `${shown} and ${names.length - NAMES_MAX} more` : shown;
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Of other folders than the receivers' and that of maps, only the name. */
function* filesOf(dataDir: string): Generator<{ name: string; entry: Dirent }> {
  for (const entry of namesIn(dataDir)) {
    // They may be links to another disk.
    const isRead = ['receivers', 'maps'].includes(entry.name) && statSync(join(dataDir, entry.name)).isDirectory();
    if (!isRead) {
      yield { name: entry.name, entry };
      continue;
    }
    for (const within of namesIn(join(dataDir, entry.name), true)) {
      const name = join(within.parentPath, within.name)
        .slice(dataDir.length + 1)
        .replaceAll(sep, '/');
      if (!within.isDirectory()) yield { name, entry: within };
    }
  }
}

function namesIn(folder: string, recursive = false): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const COPIED_AT_ONCE = 8;

/**
 * For their owner alone, and on disk when this resolves.
 * @returns what was read; none for files that are not there any more
 */
export async function copyFiles(
  from: string,
  to: string,
  names: readonly string[],
): Promise<Record<string, FileDigest>> {
  const files: Record<string, FileDigest> = {};
  let failure: unknown;
  await mapConcurrently(COPIED_AT_ONCE, names, async (name) => {
    if (failure !== undefined) return;
    try {
      const digest = await copyFile(join(from, name), join(to, name));
      if (digest) files[name] = digest;
    } catch (error) {
      failure = error;
    }
  });
  if (failure !== undefined) throw failure;
  for (const folder of new Set(Object.keys(files).flatMap((name) => foldersOf(name))))
    await syncFolder(join(to, folder));
  return files;
}

function foldersOf(name: string): readonly string[] {
  const above = dirname(name);
  return above === '.' ? ['.'] : [above, ...foldersOf(above)];
}

async function copyFile(source: string, copy: string): Promise<FileDigest | undefined> {
  try {
    if (!lstatSync(source).isFile()) throw new Error(`${source} is not a file.`);
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    return await writeDigested(createReadStream(source, { highWaterMark: PIECE_BYTES }), copy);
  } catch (error) {
    if (lstatSync(source, { throwIfNoEntry: false }) === undefined) return undefined;
    throw error;
  }
}

const PIECE_BYTES = 1 << 20;

export async function writeDigested(source: AsyncIterable<unknown>, copy: string): Promise<FileDigest> {
  const handle = await open(copy, 'w', 0o600);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of source) {
      const buffer = piece as Buffer;
      hash.update(buffer);
      bytes += buffer.length;
      await handle.writeFile(buffer);
    }
    await chmod(copy, 0o600);
    await handle.sync();
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

export async function digestOf(file: string): Promise<FileDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) {
    hash.update(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Makes new names durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @param which of the two ends of a copy, for the words about a full disk */
export function failureText(error: unknown, remedy: string): string {
  const because = error instanceof Error ? error.message : String(error);
  const origin = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (origin instanceof Error && 'code' in origin && origin.code === 'EROFS')
    return `its disk is read-only. ${remedy} (${because}).`;
  if (storageProblem(origin) === 'full') return `its disk is full. Make room on it. ${remedy} (${because}).`;
  return because;
}
