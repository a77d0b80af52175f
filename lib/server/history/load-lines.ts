import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import { FarSeeks } from './far-seeks.ts';

/** Loads of one operator that run at a time; the others of the same operator wait in line. */
export const RUNNING_MAX = 2;
/** Loads of one operator that wait: more than anybody has pages open. */
export const WAITING_MAX = 40;

/** How a page steers its running load. */
export interface SeekableLoad {
  /** As its page calls it, if it does. */
  readonly name: string | undefined;
  /** It goes outwards from another instant from now on. */
  seek(from: UpstreamInstant): void;
}

/** The place of one load in its operator's line. */
export interface PlaceInLine {
  /** 1 for the load that runs next; `undefined` once it may run. */
  readonly place: number | undefined;
  /** Resolves when `place` changes next. */
  readonly moved: Promise<void>;
  /** Lets the next one run. Does nothing after the first call. */
  leave(): void;
}

/** The loads of this server. Each operator has a line, so that no load waits for those of another operator. */
export class LoadLines {
  readonly #lines = new Map<string, Waiting[]>();
  readonly #farSeeks: FarSeeks | undefined;

  /** @param database of several servers: finds loads at all of them */
  constructor(database?: Database) {
    const seekHere = (operator: string, name: string, from: UpstreamInstant) => this.#seekHere(operator, name, from);
    this.#farSeeks = database?.dialect === 'postgres' ? new FarSeeks(database, seekHere) : undefined;
  }

  /** Of all operators. */
  get loads(): { readonly running: number; readonly waiting: number } {
    const lines = [...this.#lines.values()];
    const running = lines.reduce((sum, { length }) => sum + Math.min(length, RUNNING_MAX), 0);
    return { running, waiting: lines.reduce((sum, { length }) => sum + length, 0) - running };
  }

  /**
   * @param signal leaves the line when aborted
   * @throws ApiError where the operator's line is full, or the signal's reason where it is aborted already
   */
  enter(operator: string, seekable: SeekableLoad, signal: AbortSignal): PlaceInLine {
    signal.throwIfAborted();
    const line = this.#lines.get(operator) ?? [];
    if (line.length >= RUNNING_MAX + WAITING_MAX)
      throw new ApiError(
        'too_many_loads',
        `${RUNNING_MAX} of your loads are running and ${WAITING_MAX} wait in line: end one of them, or wait until one has ended.`,
      );
    const load = new Waiting(line, seekable);
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

  /** Moves the operator's load of that name, at whichever server it is. @returns false where none is found within a second */
  async seek(operator: string, name: string, from: UpstreamInstant): Promise<boolean> {
    return this.#seekHere(operator, name, from) || ((await this.#farSeeks?.seek(operator, name, from)) ?? false);
  }

  close(): void {
    this.#farSeeks?.close();
  }

  #seekHere(operator: string, name: string, from: UpstreamInstant): boolean {
    const load = this.#lines.get(operator)?.findLast(({ seekable }) => seekable.name === name);
    load?.seekable.seek(from);
    return load !== undefined;
  }
}

class Waiting {
  readonly seekable: SeekableLoad;
  readonly #line: readonly Waiting[];
  #next = Promise.withResolvers<void>();

  constructor(line: readonly Waiting[], seekable: SeekableLoad) {
    this.#line = line;
    this.seekable = seekable;
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
