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

/** So many requests are written ahead, so that few need the disk. After a kill, the rest of them counts as sent. */
const AHEAD = 20;

/**
 * How many requests each feed sent today (UTC), for feeds whose account counts them. Each is on disk before it is sent. A
 * disk that fails is logged, and the requests are counted in memory.
 */
export class RequestCounts {
  readonly #file: string | undefined;
  readonly #log: (entry: string) => void;
  #day = Number.NaN;
  #used = new Map<string, number>();
  #stored = new Map<string, number>();
  #writing = Promise.resolve();
  #hasFailed = false;

  private constructor(file?: string, log: (entry: string) => void = () => {}) {
    this.#file = file;
    this.#log = log;
  }

  static inMemory(): RequestCounts {
    return new RequestCounts();
  }

  /** Never rejects: what cannot be read counts as nothing, and is logged. */
  static async open(file: string, log: (entry: string) => void): Promise<RequestCounts> {
    const counts = new RequestCounts(file, log);
    try {
      const { day, used } = fileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
      counts.#day = day;
      counts.#used = new Map(Object.entries(used));
      counts.#stored = new Map(counts.#used);
    } catch (error) {
      const isNew = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!isNew) log(`${file}: the requests of today are not known: ${errorMessage(error)}`);
    }
    return counts;
  }

  used(feed: string, wall: UpstreamInstant): number {
    return dayOf(wall) === this.#day ? (this.#used.get(feed) ?? 0) : 0;
  }

  /** Counts a request. Resolves when it may be sent. */
  async spend(feed: string, wall: UpstreamInstant): Promise<void> {
    if (dayOf(wall) !== this.#day) {
      this.#day = dayOf(wall);
      this.#used = new Map();
      this.#stored = new Map();
    }
    const used = (this.#used.get(feed) ?? 0) + 1;
    this.#used.set(feed, used);
    if (used <= (this.#stored.get(feed) ?? 0)) return;
    this.#stored.set(feed, used + AHEAD - 1);
    await this.#write();
  }

  /** Stores the exact counts. Never rejects. */
  async close(): Promise<void> {
    if (Number.isNaN(this.#day)) return;
    this.#stored = new Map(this.#used);
    await this.#write();
  }

  #write(): Promise<void> {
    const { day, used } = { day: this.#day, used: Object.fromEntries(this.#stored) };
    const text = `${JSON.stringify({ version: 1, day, used })}\n`;
    this.#writing = this.#writing.then(async () => {
      if (this.#file === undefined) return;
      try {
        await writeWhole(this.#file, [Buffer.from(text)]);
        this.#hasFailed = false;
      } catch (error) {
        if (!this.#hasFailed) this.#log(`${this.#file}: requests are only counted in memory: ${errorMessage(error)}`);
        this.#hasFailed = true;
      }
    });
    return this.#writing;
  }
}

function dayOf(wall: UpstreamInstant): number {
  return Math.floor(epochMs(wall) / DAY_MS);
}
