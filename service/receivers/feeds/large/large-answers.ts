import { Worker } from 'node:worker_threads';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Parsed, RefusalCause } from '../../fix.ts';
import type { FeedSettings } from '../feed-settings.ts';

/** What was parsed of a large answer, in which there may be millions of refused rows. */
export interface ParsedLarge extends Omit<Parsed, 'refused'> {
  readonly refused: Readonly<Partial<Record<RefusalCause, number>>>;
}

/** Never rejects. */
export type ParseLarge = (body: Uint8Array, receivedAt: UpstreamInstant) => Promise<ParsedLarge>;

/** For the thread. */
export interface LargeAnswer {
  readonly settings: FeedSettings;
  readonly body: Uint8Array;
  readonly receivedAt: UpstreamInstant;
}

/** The longest answer of any content took 11 s on a busy machine. */
const TIME_MAX_MS = 20 * SECOND_MS;
/** An answer of 8 MiB of `[` or of `{}` takes 400 MB while it is parsed. */
const HEAP_MAX_MB = 1024;
const UNREADABLE: ParsedLarge = { fixes: [], feedClockMs: undefined, refused: { unreadable: 1 } };

/**
 * Parses large answers in a thread, one after the other, so that no content delays other work. The thread starts with
 * the first of them.
 */
export class LargeAnswers {
  readonly #secret: Uint8Array;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @param secret the keys of tracks are made with it */
  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** The parser of a feed. */
  of(settings: FeedSettings): ParseLarge {
    return (body, receivedAt) => {
      const parsed = this.#last.then(() => this.#parse({ settings, body, receivedAt }));
      this.#last = parsed;
      return parsed;
    };
  }

  /** What is under way is given up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  async #parse(answer: LargeAnswer): Promise<ParsedLarge> {
    if (this.#isClosed) return UNREADABLE;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // A thread that took too long or too much memory ends. The next answer starts another.
    return new Promise((resolve) => {
      const timer = setTimeout(() => void worker.terminate(), TIME_MAX_MS);
      const settle = (parsed: ParsedLarge) => {
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
    // Its exit follows, and is what counts.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}
