import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import { FarSeeks } from './far-seeks.ts';

export const RUNNING_MAX = 2;
/** More than one operator has pages open. */
export const WAITING_MAX = 40;

export interface SeekableLoad {
  readonly name: string | undefined;
  seek(from: UpstreamInstant): void;
}

export interface QueuedLoad {
  /** 1 for the load that starts next; `undefined` once it may run. */
  readonly rank: number | undefined;
  readonly moved: Promise<void>;
  /** Does nothing after the first call. */
  leave(): void;
}

/** No load waits for another operator's. */
export class LoadQueues {
  readonly #queues = new Map<string, Waiting[]>();
  readonly #farSeeks: FarSeeks | undefined;

  /** @param database of several servers */
  constructor(database?: Database) {
    const seekHere = (operator: string, name: string, from: UpstreamInstant) => this.#seekHere(operator, name, from);
    this.#farSeeks = database?.dialect === 'postgres' ? new FarSeeks(database, seekHere) : undefined;
  }

  get loads(): { readonly running: number; readonly waiting: number } {
    const queues = [...this.#queues.values()];
    const running = queues.reduce((sum, { length }) => sum + Math.min(length, RUNNING_MAX), 0);
    return { running, waiting: queues.reduce((sum, { length }) => sum + length, 0) - running };
  }

  /** @throws ApiError where the operator's queue is full, or the signal's reason where it is aborted already */
  enter(operator: string, seekable: SeekableLoad, signal: AbortSignal): QueuedLoad {
    signal.throwIfAborted();
    const queue = this.#queues.get(operator) ?? [];
    if (queue.length >= RUNNING_MAX + WAITING_MAX)
      throw new ApiError(
        'too_many_loads',
        `${RUNNING_MAX} of your loads are running and ${WAITING_MAX} wait in the queue: end one of them, or wait until one has ended.`,
      );
    const load = new Waiting(queue, seekable);
    queue.push(load);
    this.#queues.set(operator, queue);
    const leave = () => {
      signal.removeEventListener('abort', leave);
      const at = queue.indexOf(load);
      if (at < 0) return;
      queue.splice(at, 1);
      for (const behind of queue.slice(at)) behind.advance();
      if (queue.length === 0) this.#queues.delete(operator);
    };
    signal.addEventListener('abort', leave, { once: true });
    return {
      get rank() {
        return load.rank;
      },
      get moved() {
        return load.moved;
      },
      leave,
    };
  }

  /** At whichever server. @returns false where none is found within a second */
  async seek(operator: string, name: string, from: UpstreamInstant): Promise<boolean> {
    return this.#seekHere(operator, name, from) || ((await this.#farSeeks?.seek(operator, name, from)) ?? false);
  }

  close(): void {
    this.#farSeeks?.close();
  }

  #seekHere(operator: string, name: string, from: UpstreamInstant): boolean {
    const load = this.#queues.get(operator)?.findLast(({ seekable }) => seekable.name === name);
    load?.seekable.seek(from);
    return load !== undefined;
  }
}

class Waiting {
  readonly seekable: SeekableLoad;
  readonly #queue: readonly Waiting[];
  #next = Promise.withResolvers<void>();

  constructor(queue: readonly Waiting[], seekable: SeekableLoad) {
    this.#queue = queue;
    this.seekable = seekable;
  }

  get rank(): number | undefined {
    const ahead = this.#queue.indexOf(this) - RUNNING_MAX;
    return ahead < 0 ? undefined : ahead + 1;
  }

  get moved(): Promise<void> {
    return this.#next.promise;
  }

  advance(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }
}
