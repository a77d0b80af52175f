import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { errorMessage } from '#lib/text/error-message.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { writeWhole } from '../../past/files/write-whole.ts';

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** Days since 1970, in UTC. */
  day: z.int(),
  used: z.record(z.string(), z.int().min(0)),
});

/**
 * How many requests each feed sent today (UTC), for feeds whose account counts them. Each is on disk before it is sent. A
 * disk that fails is logged, and the requests are counted in memory.
 */
export class RequestCounts {
  readonly #file: string | undefined;
  readonly #log: (entry: string) => void;
  #day = Number.NaN;
  #used = new Map<string, number>();
  #writing = Promise.resolve();

  private constructor(file?: string, log: (entry: string) => void = () => {}) {
    this.#file = file;
    this.#log = log;
  }

  static inMemory(): RequestCounts {
    return new RequestCounts();
  }

  /** Never rejects: an unreadable file counts as no requests, and is logged. */
  static async open(file: string, log: (entry: string) => void): Promise<RequestCounts> {
    const counts = new RequestCounts(file, log);
    try {
      const { day, used } = fileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
      counts.#day = day;
      counts.#used = new Map(Object.entries(used));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        log(`${file}: the requests of today are not known: ${errorMessage(error)}`);
    }
    return counts;
  }

  used(feed: string, wall: UpstreamInstant): number {
    return dayOf(wall) === this.#day ? (this.#used.get(feed) ?? 0) : 0;
  }

  /** Counts a request. Resolves when it may be sent, and never rejects. */
  spend(feed: string, wall: UpstreamInstant): Promise<void> {
    const used = this.used(feed, wall) + 1;
    if (dayOf(wall) !== this.#day) this.#used = new Map();
    this.#day = dayOf(wall);
    this.#used.set(feed, used);
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#file === undefined) return;
    const text = JSON.stringify({ version: 1, day: this.#day, used: Object.fromEntries(this.#used) });
    try {
      await writeWhole(this.#file, [Buffer.from(`${text}\n`)]);
    } catch (error) {
      this.#log(`${this.#file}: requests are only counted in memory: ${errorMessage(error)}`);
    }
  }
}

function dayOf(wall: UpstreamInstant): number {
  return Math.floor(epochMs(wall) / DAY_MS);
}
