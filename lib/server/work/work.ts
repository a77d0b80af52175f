import 'server-only';
import PQueue from 'p-queue';
import { unlessAborted } from '#lib/async/wait.ts';
import { OperatorQueue } from './operator-queue.ts';
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
  /**
   * Slots are taken in order of arrival. An operator waits for them with no more pieces than may run of them, so that
   * none waits for more than these of each other operator.
   */
  readonly #kinds = new Map<WorkKind, { readonly places: OperatorQueue<undefined>; readonly slots: PQueue }>();

  constructor(table: typeof WORK = WORK) {
    for (const [kind, bounds] of Object.entries(table) as [WorkKind, (typeof WORK)[WorkKind]][])
      this.#kinds.set(kind, { places: new OperatorQueue(bounds), slots: new PQueue({ concurrency: bounds.inAll }) });
  }

  /**
   * Resolves once the operator's earlier work has made way.
   * @param signal leaves; afterwards no piece starts
   * @throws ApiError where the operator's queue is full, or the signal's reason
   */
  async enter(kind: WorkKind, operator: string, signal: AbortSignal): Promise<RunningWork> {
    const { places, slots } = this.#of(kind);
    const place = places.enter(operator, undefined, signal);
    while (place.rank !== undefined) await unlessAborted(place.moved, signal);
    signal.throwIfAborted();
    return { runPiece: (piece) => inSlot(slots, piece, signal), leave: () => place.leave() };
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

/** A piece that runs keeps its slot until it settles, also after an abort. One that waits leaves at an abort. */
async function inSlot<Result>(slots: PQueue, piece: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  // For the wait alone: p-queue takes the slot away from a running task whose signal is aborted.
  const waiting = new AbortController();
  const leave = () => waiting.abort(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  const begin = async () => {
    signal.removeEventListener('abort', leave);
    // SQLite answers without one: pieces would follow each other with nothing in between.
    await yieldInOrder();
    signal.throwIfAborted();
    return piece();
  };
  return slots.add(begin, { signal: waiting.signal });
}
