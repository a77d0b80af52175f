import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFailure } from '../../data-dir/storage-failure.ts';
import { UNFINISHED, writeWhole } from '../../past/files/write-whole.ts';
import { decodeDay, encodeDay } from './day-file.ts';
import { DAYS_KEPT, type StationDay, type StationSample, StationTally } from './station-tally.ts';

export type RecordProblem = 'disk_full' | 'disk_failed';

/** A hundred stations take 0.2 MB a day. */
const FILE_MAX_BYTES = 1024 * 1024;
const FILE_NAME = /^(\d{4}-\d\d-\d\d)\.json$/;

/** One file a day, written whole. */
export class StationRecord {
  readonly #folder: string;
  readonly #log: (entry: string) => void;
  readonly #tally: StationTally;
  readonly #changed = new Set<number>();
  #problem: RecordProblem | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(folder: string, days: ReadonlyMap<number, StationDay>, log: (entry: string) => void) {
    this.#folder = folder;
    this.#log = log;
    this.#tally = new StationTally(days);
  }

  /** Never rejects: unreadable days are not recorded. */
  static async open(folder: string, log: (entry: string) => void): Promise<StationRecord> {
    const days = new Map<number, StationDay>();
    for (const name of (await names(folder)).slice(-DAYS_KEPT)) {
      const file = join(folder, name);
      try {
        const { size } = await stat(file);
        if (size > FILE_MAX_BYTES) throw new RangeError(`it has ${size} bytes`);
        days.set(Date.parse(name.slice(0, 10)), decodeDay(await readFile(file, 'utf8')));
      } catch (failure) {
        const { name: kind, message } = failure as Error;
        const why = kind === 'ZodError' ? 'it has another form' : message;
        log(`stations: ${file} cannot be read (${why}). Its hours are shown as not recorded. You can delete it.`);
      }
    }
    return new StationRecord(folder, days, log);
  }

  get days(): ReadonlyMap<number, StationDay> {
    return this.#tally.days;
  }

  /** Undefined while everything is stored. */
  get problem(): RecordProblem | undefined {
    return this.#problem;
  }

  sample(wallMs: number, steadyMs: number, stations: readonly StationSample[]): void {
    this.#changed.add(this.#tally.sample(wallMs, steadyMs, stations));
  }

  /** Never rejects. After a failure, the next call writes the same days. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    try {
      for (const dayMs of [...this.#changed].sort((a, b) => a - b)) {
        const day = this.days.get(dayMs);
        this.#changed.delete(dayMs);
        try {
          if (day) await writeWhole(join(this.#folder, nameOf(dayMs)), [Buffer.from(encodeDay(day))]);
        } catch (failure) {
          this.#changed.add(dayMs);
          throw failure;
        }
      }
      await this.#deleteOldest();
      if (this.#problem) this.#log('stations: the hours of the receivers are stored again');
      this.#problem = undefined;
    } catch (failure) {
      const problem = storageFailure(failure) === 'full' ? 'disk_full' : 'disk_failed';
      if (this.#problem !== problem)
        this.#log(`stations: ${problem}: the hours of the receivers are not stored (${(failure as Error).message})`);
      this.#problem = problem;
    }
  }

  async #deleteOldest(): Promise<void> {
    const oldest = (await names(this.#folder)).slice(0, -DAYS_KEPT);
    for (const name of oldest) if (!this.days.has(Date.parse(name.slice(0, 10)))) await rm(join(this.#folder, name));
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
