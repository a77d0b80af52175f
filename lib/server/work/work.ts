import 'server-only';
import { OperatorQueue, type Place } from './operator-queue.ts';
import { WORK, type WorkKind } from './work-table.ts';
import { yieldInOrder } from './yielding.ts';

/** Runs one piece of the work, as soon as fewer than the bound of all operators run. */
export type RunPiece = <Result>(piece: () => Promise<Result>) => Promise<Result>;

export interface RunningWork {
  readonly runPiece: RunPiece;
  /** Does nothing after the first call. */
  leave(): void;
}

/**
 * Queues the work that people start, at this server: by operator, then in slots among all. No piece starts for a client
 * that has left.
 */
export class Work {
  readonly #kinds = new Map<WorkKind, { readonly places: OperatorQueue<undefined>; readonly slots: Slots }>();

  constructor(table: typeof WORK = WORK) {
    for (const [kind, bounds] of Object.entries(table) as [WorkKind, (typeof WORK)[WorkKind]][])
      this.#kinds.set(kind, { places: new OperatorQueue(bounds), slots: new Slots(bounds.inAll) });
  }

  /**
   * Resolves once the operator's earlier work has made way.
   * @param signal leaves; afterwards no piece starts
   * @throws ApiError where the operator's queue is full, or the signal's reason
   */
  async enter(kind: WorkKind, operator: string, signal: AbortSignal): Promise<RunningWork> {
    const { places, slots } = this.#of(kind);
    const place = places.enter(operator, undefined, signal);
    await untilFirst(place, signal);
    return { runPiece: (piece) => slots.run(piece, signal), leave: () => place.leave() };
  }

  /** One piece of work. @throws as `enter` does, and what `piece` rejects with */
  async run<Result>(
    kind: WorkKind,
    operator: string,
    signal: AbortSignal,
    piece: () => Promise<Result>,
  ): Promise<Result> {
    const work = await this.enter(kind, operator, signal);
    try {
      return await work.runPiece(piece);
    } finally {
      work.leave();
    }
  }

  counts(kind: WorkKind): OperatorQueue<undefined>['counts'] {
    return this.#of(kind).places.counts;
  }

  #of(kind: WorkKind) {
    const own = this.#kinds.get(kind);
    if (!own) throw new Error(`no such kind of work: ${kind}`);
    return own;
  }
}

/** @throws the signal's reason as soon as it is aborted */
async function untilFirst(place: Place, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  aborted.catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    while (place.rank !== undefined) await Promise.race([place.moved, aborted]);
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * In order of arrival. An operator waits here with no more pieces than may run of them, so that none waits for more
 * than these of each other operator.
 */
class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** A piece that runs keeps its slot until it settles, also after an abort. */
  async run<Result>(piece: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#take(signal);
    try {
      // SQLite answers without one: pieces would follow each other with nothing in between.
      await yieldInOrder();
      signal.throwIfAborted();
      return await piece();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      const at = this.#waiting.indexOf(resolve);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal.reason);
    };
    this.#waiting.push(resolve);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}
