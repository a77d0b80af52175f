import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFailure } from '../../data-dir/storage-failure.ts';
import { UNFINISHED, writeWhole } from './write-whole.ts';

export type RecordProblem = 'disk_full' | 'disk_failed';

export interface DayFilesOptions<Day> {
  readonly folder: string;
  /** For the log. */
  readonly name: string;
  /** For the log: what the files hold, in the plural. */
  readonly content: string;
  readonly encode: (day: Day) => string;
  /** Throws on a text that is not whole. */
  readonly decode: (text: string) => Day;
  readonly fileMaxBytes: number;
  readonly daysKept: number;
  readonly log: (entry: string) => void;
}

const FILE_NAME = /^(\d{4}-\d\d-\d\d)\.json$/;

/** A small file for each UTC day, written whole. */
export class DayFiles<Day> {
  readonly #options: DayFilesOptions<Day>;
  readonly #changed = new Set<number>();
  #problem: RecordProblem | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: DayFilesOptions<Day>) {
    this.#options = options;
  }

  /** Never rejects: an unreadable file is named in the log, and its day is not recorded. */
  static async open<Day>(options: DayFilesOptions<Day>): Promise<{
    readonly files: DayFiles<Day>;
    readonly days: Map<number, Day>;
    readonly damaged: readonly number[];
  }> {
    const { folder, name, content, decode, fileMaxBytes, daysKept, log } = options;
    const days = new Map<number, Day>();
    const damaged: number[] = [];
    for (const fileName of (await names(folder)).slice(-daysKept)) {
      const file = join(folder, fileName);
      const dayMs = Date.parse(fileName.slice(0, 10));
      try {
        const { size } = await stat(file);
        if (size > fileMaxBytes) throw new RangeError(`it has ${size} bytes`);
        days.set(dayMs, decode(await readFile(file, 'utf8')));
      } catch (failure) {
        damaged.push(dayMs);
        const { name: kind, message } = failure as Error;
        const why = kind === 'ZodError' ? 'it has another form' : message;
        log(`${name}: ${file} cannot be read (${why}). Its ${content} are not recorded. You can delete it.`);
      }
    }
    return { files: new DayFiles(options), days, damaged };
  }

  /** Undefined while everything is stored. */
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

  async #write(days: ReadonlyMap<number, Day>): Promise<void> {
    const { folder, name, content, encode, log } = this.#options;
    try {
      for (const dayMs of [...this.#changed].sort((a, b) => a - b)) {
        const day = days.get(dayMs);
        this.#changed.delete(dayMs);
        try {
          if (day) await writeWhole(join(folder, nameOf(dayMs)), [Buffer.from(encode(day))]);
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

  async #deleteOldest(days: ReadonlyMap<number, Day>): Promise<void> {
    const { folder, daysKept } = this.#options;
    const oldest = (await names(folder)).slice(0, -daysKept);
    for (const name of oldest) if (!days.has(Date.parse(name.slice(0, 10)))) await rm(join(folder, name));
  }
}

function nameOf(dayMs: number): string {
  return `${new Date(dayMs).toISOString().slice(0, 10)}.json`;
}

/** Oldest first. Deletes what a killed service left. */
async function names(folder: string): Promise<string[]> {
  const found = await readdir(folder).catch(() => []);
  for (const name of found) if (name.endsWith(UNFINISHED)) await rm(join(folder, name), { force: true });
  return found.filter((name) => FILE_NAME.test(name)).sort();
}
