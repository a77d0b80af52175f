import { Worker } from 'node:worker_threads';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { CountedParsed } from '../../fix.ts';
import type { FeedSettings } from '../feed.ts';

/** Parses one answer of a feed. Never rejects. */
export type ParseLarge = (body: Uint8Array, receivedAt: UpstreamInstant) => Promise<CountedParsed>;

export interface LargeAnswer {
  readonly settings: FeedSettings;
  readonly body: Uint8Array;
  readonly receivedAt: UpstreamInstant;
}

/** The slowest content took 11 s on a busy machine. */
const TIME_MAX_MS = 20 * SECOND_MS;
/** 8 MiB of `[` or of `{}` take 400 MB to parse. */
const HEAP_MAX_MB = 1024;
const UNREADABLE: CountedParsed = { fixes: [], feedClockMs: undefined, refused: { unreadable: 1 } };

/** Parses in a worker, one answer at a time, so that no content delays other work. */
export class LargeAnswers {
  readonly #secret: Uint8Array;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @param secret key of the tracks' digests */
  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  of(settings: FeedSettings): ParseLarge {
    return (body, receivedAt) => {
      const parsed = this.#last.then(() => this.#parse({ settings, body, receivedAt }));
      this.#last = parsed;
      return parsed;
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  async #parse(answer: LargeAnswer): Promise<CountedParsed> {
    if (this.#isClosed) return UNREADABLE;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // A worker that exceeds its time or memory is ended, which never rejects.
    return new Promise((resolve) => {
      const timer = setTimeout(() => void worker.terminate(), TIME_MAX_MS);
      const settle = (parsed: CountedParsed) => {
        clearTimeout(timer);
        worker.off('message', settle);
        worker.off('exit', fail);
        resolve(parsed);
      };
      const fail = () => settle(UNREADABLE);
      worker.on('message', settle);
      worker.on('exit', fail);
      worker.postMessage(answer);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./parse-worker.ts', import.meta.url), {
      workerData: this.#secret,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
    });
    worker.unref();
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}
