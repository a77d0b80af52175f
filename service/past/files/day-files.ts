import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isReadVersion, OtherVersion } from '#lib/version/file-version.ts';
import { storageFailure } from '../../data-dir/storage-failure.ts';
import { UNFINISHED_SUFFIX, writeWhole } from './write-whole.ts';

export type RecordProblem = 'disk_full' | 'disk_failed';

export interface DayFilesOptions<Day> {
  readonly folder: string;
  /** The first word of lines in the log. */
  readonly name: string;
  /** The content of the files, in the plural, for the log. */
  readonly content: string;
  /** Each file begins with `{"version":N,`. */
  readonly version: number;
  /** `decode` reads older files from this version on. Default: none. */
  readonly oldestVersion?: number;
  readonly encode: (day: Day) => string;
  /** Throws on a text that is not whole. */
  readonly decode: (text: string) => Day;
  readonly fileMaxBytes: number;
  readonly daysKept: number;
  readonly log: (entry: string) => void;
}

const HEAD = /^\s*\{\s*"version"\s*:\s*(\d{1,3})\s*[,}]/;
const HEAD_BYTES = 64;

/** A small file for each UTC day, written whole. Files that cannot be read are not lost. */
export class DayFiles<Day> {
  readonly #options: DayFilesOptions<Day>;
  readonly #changed = new Set<number>();
  /** Days whose files another Lookout wrote, or that cannot be read: they stay as they are. */
  readonly #left = new Set<number>();
  /** Damaged files, which are set aside before they are replaced. */
  readonly #damaged = new Set<number>();
  #problem: RecordProblem | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: DayFilesOptions<Day>) {
    this.#options = options;
  }

  /** Never rejects: an unreadable file is named in the log, and its day is not known. */
  static async open<Day>(options: DayFilesOptions<Day>): Promise<{
    readonly files: DayFiles<Day>;
    readonly days: Map<number, Day>;
    /** Days whose files cannot be read. */
    readonly unread: readonly number[];
  }> {
    const files = new DayFiles(options);
    const days = new Map<number, Day>();
    for (const dayMs of (await daysIn(options.folder)).reverse()) {
      const day = await files.#read(dayMs);
      if (day !== undefined && days.size < options.daysKept) days.set(dayMs, day);
    }
    return { files, days, unread: [...files.#left, ...files.#damaged] };
  }

  /** Why days are not stored; undefined while everything is. */
  get problem(): RecordProblem | undefined {
    return this.#problem;
  }

  changed(dayMs: number): void {
    this.#changed.add(dayMs);
  }

  /** Never rejects. After a failure, the next call writes the same days. */
  flush(days: ReadonlyMap<number, Day>): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write(days));
    return this.#writing;
  }

  async #read(dayMs: number): Promise<Day | undefined> {
    const { name, content, decode, fileMaxBytes, log } = this.#options;
    const file = this.#file(dayMs);
    try {
      const { size, isOurs } = await this.#readHead(file);
      if (!isOurs || size > fileMaxBytes) throw new SyntaxError(isOurs ? `it has ${size} bytes` : 'it has no version');
      return decode(await readFile(file, 'utf8'));
    } catch (failure) {
      if (failure instanceof OtherVersion) {
        this.#left.add(dayMs);
        const remedy = `its ${content} are left out, and its day is not stored, until that Lookout runs`;
        log(`${name}: ${failure.text(file, remedy)}`);
      } else if (storageFailure(failure) !== undefined) {
        this.#left.add(dayMs);
        const because = (failure as Error).message;
        log(`${name}: ${file} cannot be read (${because}). Its ${content} are not known. Let this user read it.`);
      } else {
        this.#damaged.add(dayMs);
        const { name: kind, message } = failure as Error;
        const why = kind === 'ZodError' ? 'it has another form' : message;
        log(`${name}: ${file} is damaged (${why}). Its ${content} are not known. You can delete it.`);
      }
      return undefined;
    }
  }

  /** Rejects with OtherVersion, or the system's error. */
  async #readHead(file: string): Promise<{ readonly size: number; readonly isOurs: boolean }> {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      const [, version] = HEAD.exec(buffer.toString('latin1', 0, bytesRead)) ?? [];
      const { version: reads, oldestVersion } = this.#options;
      return { size, isOurs: version !== undefined && isReadVersion(Number(version), reads, oldestVersion) };
    } finally {
      await handle.close();
    }
  }

  async #write(days: ReadonlyMap<number, Day>): Promise<void> {
    const { name, content, encode, log } = this.#options;
    try {
      for (const dayMs of [...this.#changed].sort((a, b) => a - b)) {
        const day = days.get(dayMs);
        this.#changed.delete(dayMs);
        if (!day || this.#left.has(dayMs)) continue;
        try {
          if (this.#damaged.has(dayMs)) await this.#setAside(dayMs);
          await writeWhole(this.#file(dayMs), [Buffer.from(encode(day))]);
        } catch (failure) {
          this.#changed.add(dayMs);
          throw failure;
        }
      }
      await this.#deleteOldest(days);
      if (this.#problem) log(`${name}: the ${content} of the receivers are stored again`);
      this.#problem = undefined;
    } catch (failure) {
      const problem = storageFailure(failure) === 'full' ? 'disk_full' : 'disk_failed';
      if (this.#problem !== problem)
        log(`${name}: ${problem}: the ${content} of the receivers are not stored (${(failure as Error).message})`);
      this.#problem = problem;
    }
  }

  async #setAside(dayMs: number): Promise<void> {
    const file = this.#file(dayMs);
    const taken = new Set(await readdir(this.#options.folder));
    let aside = `${nameOf(dayMs)}.damaged`;
    for (let copy = 2; taken.has(aside); copy += 1) aside = `${nameOf(dayMs)}.damaged-${copy}`;
    if (taken.has(nameOf(dayMs))) await rename(file, join(this.#options.folder, aside));
    this.#damaged.delete(dayMs);
  }

  async #deleteOldest(days: ReadonlyMap<number, Day>): Promise<void> {
    const { folder, daysKept } = this.#options;
    const kept = (await daysIn(folder)).filter((dayMs) => !this.#left.has(dayMs) && !this.#damaged.has(dayMs));
    for (const dayMs of kept.slice(0, -daysKept)) {
      if (days.has(dayMs)) continue;
      const { isOurs } = await this.#readHead(this.#file(dayMs)).catch(() => ({ isOurs: false }));
      if (isOurs) await rm(this.#file(dayMs));
      else this.#left.add(dayMs);
    }
  }

  #file(dayMs: number): string {
    return join(this.#options.folder, nameOf(dayMs));
  }
}

/**
 * Drops the oldest days in memory beyond `kept`, but never `exceptMs`. Their number decides, since a wrong clock must
 * not delete anything by age.
 */
export function dropOldestDays(days: Map<number, unknown>, kept: number, exceptMs?: number): void {
  const oldest = [...days.keys()].sort((a, b) => a - b).filter((dayMs) => dayMs !== exceptMs);
  for (const dayMs of oldest.slice(0, Math.max(0, days.size - kept))) days.delete(dayMs);
}

/** The values of a day by name. A new day drops the oldest ones beyond `kept`. */
export function valuesOfDay<Value>(
  days: Map<number, Map<string, Value>>,
  dayMs: number,
  kept: number,
): Map<string, Value> {
  let day = days.get(dayMs);
  if (!day) {
    day = new Map();
    days.set(dayMs, day);
    dropOldestDays(days, kept, dayMs);
  }
  return day;
}

function nameOf(dayMs: number): string {
  return `${new Date(dayMs).toISOString().slice(0, 10)}.json`;
}

/** The day in a file's name; undefined for another name. */
function dayNamed(name: string): number | undefined {
  const dayMs = /^\d{4}-\d\d-\d\d\.json$/.test(name) ? Date.parse(name.slice(0, 10)) : Number.NaN;
  return Number.isNaN(dayMs) || nameOf(dayMs) !== name ? undefined : dayMs;
}

/** The days that have a file, oldest first. It deletes the unfinished files of a killed service. */
async function daysIn(folder: string): Promise<number[]> {
  const found = await readdir(folder).catch(() => []);
  for (const name of found) {
    if (name.endsWith(UNFINISHED_SUFFIX) && dayNamed(name.slice(0, -UNFINISHED_SUFFIX.length)) !== undefined)
      await rm(join(folder, name), { force: true });
  }
  return found.flatMap((name) => dayNamed(name) ?? []).sort((a, b) => a - b);
}
