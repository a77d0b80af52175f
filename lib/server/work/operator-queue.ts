import 'server-only';
import { ApiError, type ApiErrorCode } from '#lib/api/error-code.ts';

/** Bounds of one kind of work. */
export interface QueueBounds {
  /** So many works of one operator run at once. */
  readonly running: number;
  /** So many works of one operator wait. */
  readonly waiting: number;
  /** A plural noun, in messages to operators. */
  readonly name: string;
  readonly refusal: ApiErrorCode;
}

export interface Place {
  /** 1 for the work that starts next; `undefined` once it may run. */
  readonly rank: number | undefined;
  /** Resolves at the next step forward. */
  readonly moved: Promise<void>;
  /** Does nothing after the first call. */
  leave(): void;
}

/** A queue for each operator: none waits for another operator's work here. */
export class OperatorQueue<Subject> {
  readonly #bounds: QueueBounds;
  readonly #queues = new Map<string, Entered<Subject>[]>();

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  get counts(): { readonly running: number; readonly waiting: number } {
    const lengths = [...this.#queues.values()].map(({ length }) => length);
    const running = lengths.reduce((sum, length) => sum + Math.min(length, this.#bounds.running), 0);
    return { running, waiting: lengths.reduce((sum, length) => sum + length, 0) - running };
  }

  /** The operator's works, in order of arrival. */
  of(operator: string): readonly Subject[] {
    return this.#queues.get(operator)?.map(({ subject }) => subject) ?? [];
  }

  /**
   * @param signal leaves
   * @throws ApiError where the operator's queue is full, or the signal's reason where it is aborted already
   */
  enter(operator: string, subject: Subject, signal: AbortSignal): Place {
    signal.throwIfAborted();
    const { running, waiting, name, refusal } = this.#bounds;
    const queue = this.#queues.get(operator) ?? [];
    if (queue.length >= running + waiting)
      throw new ApiError(
        refusal,
        `${running} of your ${name} ${running === 1 ? 'is' : 'are'} running and ${waiting} wait in the queue: end one of them, or wait until one has ended.`,
      );
    const entered = new Entered(queue, running, subject);
    queue.push(entered);
    this.#queues.set(operator, queue);
    const leave = () => {
      signal.removeEventListener('abort', leave);
      const at = queue.indexOf(entered);
      if (at < 0) return;
      queue.splice(at, 1);
      for (const behind of queue.slice(at)) behind.advance();
      if (queue.length === 0) this.#queues.delete(operator);
    };
    signal.addEventListener('abort', leave, { once: true });
    return {
      get rank() {
        return entered.rank;
      },
      get moved() {
        return entered.moved;
      },
      leave,
    };
  }
}

class Entered<Subject> {
  readonly subject: Subject;
  readonly #queue: readonly Entered<Subject>[];
  readonly #running: number;
  #next = Promise.withResolvers<void>();

  constructor(queue: readonly Entered<Subject>[], running: number, subject: Subject) {
    this.#queue = queue;
    this.#running = running;
    this.subject = subject;
  }

  get rank(): number | undefined {
    const ahead = this.#queue.indexOf(this) - this.#running;
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
