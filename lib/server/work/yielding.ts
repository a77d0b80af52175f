import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work gives way to other requests after this time. */
const SLICE_MS = 20;

/** Shared by the module graphs of instrumentation and route handlers. */
const holder = globalThis as { [lastSymbol]?: Promise<void> };
const lastSymbol = Symbol.for('lookout.last-yield');

/** Gives way to others, in order of arrival, so that pieces of long work that run side by side do not add up. */
export async function yieldInOrder(): Promise<void> {
  const yielded = (holder[lastSymbol] ?? Promise.resolve()).then(() => nextTurn());
  holder[lastSymbol] = yielded;
  await yielded;
}

/** For one piece of work that computes for long: `if (yielding.isDue) await yielding.next()` in its inner loop. */
export class Yielding {
  #since = performance.now();
  readonly #signal: AbortSignal | undefined;

  /**
   * @param signal ends the work, when it yields next
   * @throws the signal's reason where it is aborted already
   */
  constructor(signal?: AbortSignal) {
    signal?.throwIfAborted();
    this.#signal = signal;
  }

  get isDue(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  /** @throws the signal's reason once it is aborted */
  async next(): Promise<void> {
    await yieldInOrder();
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}

/** An answer from cached frames takes about 0.3 ms, so that these take 5 ms. */
const GROUP = 16;

/** For short works that may become due all at once: each group of them leaves a turn of the event loop to others. */
export class GroupedStarts {
  #before: Promise<unknown> = Promise.resolve();
  #group: Promise<void>[] = [];

  /** Works start in the order of their calls. Rejects with what `work` rejects with. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#group.length === GROUP) {
      this.#before = Promise.all(this.#group).then(() => nextTurn());
      this.#group = [];
    }
    const done = this.#before.then(work);
    const ended = () => {};
    this.#group.push(done.then(ended, ended));
    return done;
  }
}
