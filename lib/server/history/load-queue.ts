import 'server-only';
import { ApiError } from '../api-error.ts';

/** Loads of one operator that run at a time; the others of the same operator wait in line. */
export const RUNNING_MAX = 2;
/** Loads of one operator that wait: more than anybody has pages open. */
export const WAITING_MAX = 40;

/** The place of one load in its operator's line. */
export interface PlaceInLine {
  /** 1 for the load that runs next; `undefined` once it may run. */
  readonly place: number | undefined;
  /** Resolves when `place` changes next. */
  readonly moved: Promise<void>;
  /** Lets the next one run. Does nothing after the first call. */
  leave(): void;
}

/** The loads of all operators: each operator has a line of his own, so that nobody waits for the loads of another. */
export class LoadQueue {
  readonly #lines = new Map<string, Waiting[]>();

  /** Loads of all operators. */
  get loads(): { readonly running: number; readonly waiting: number } {
    const lines = [...this.#lines.values()];
    const running = lines.reduce((sum, { length }) => sum + Math.min(length, RUNNING_MAX), 0);
    return { running, waiting: lines.reduce((sum, { length }) => sum + length, 0) - running };
  }

  /**
   * @param signal leaves the line when aborted
   * @throws ApiError where the operator's line is full, or the signal's reason where it is aborted already
   */
  enter(operator: string, signal: AbortSignal): PlaceInLine {
    signal.throwIfAborted();
    const line = this.#lines.get(operator) ?? [];
    if (line.length >= RUNNING_MAX + WAITING_MAX) {
      throw new ApiError(
        'too_many_loads',
        `${RUNNING_MAX} of your loads are running and ${WAITING_MAX} wait in line: end one of them, or wait until one has ended.`,
      );
    }
    const load = new Waiting(line);
    line.push(load);
    this.#lines.set(operator, line);
    const leave = () => {
      signal.removeEventListener('abort', leave);
      const at = line.indexOf(load);
      if (at < 0) return;
      line.splice(at, 1);
      for (const behind of line.slice(at)) behind.advance();
      if (line.length === 0) this.#lines.delete(operator);
    };
    signal.addEventListener('abort', leave, { once: true });
    return {
      get place() {
        return load.place;
      },
      get moved() {
        return load.moved;
      },
      leave,
    };
  }
}

class Waiting {
  readonly #line: readonly Waiting[];
  #next = Promise.withResolvers<void>();

  constructor(line: readonly Waiting[]) {
    this.#line = line;
  }

  get place(): number | undefined {
    const ahead = this.#line.indexOf(this) - RUNNING_MAX;
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
