import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { requireRoomInLine } from '../history/room-in-line.ts';
import { type LoadLines, type PlaceInLine, RUNNING_MAX, type SeekableLoad } from '../ports/load-lines.ts';

const ENTERED = Promise.resolve();

/** The loads of an app that runs as one process. */
export class EmbeddedLoadLines implements LoadLines {
  readonly #lines = new Map<string, Waiting[]>();

  get loads(): LoadLines['loads'] {
    const lines = [...this.#lines.values()];
    const running = lines.reduce((sum, { length }) => sum + Math.min(length, RUNNING_MAX), 0);
    return { running, waiting: lines.reduce((sum, { length }) => sum + length, 0) - running };
  }

  enter(operator: string, seekable: SeekableLoad, signal: AbortSignal): PlaceInLine {
    signal.throwIfAborted();
    const line = this.#lines.get(operator) ?? [];
    requireRoomInLine(line.length);
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
      entered: ENTERED,
      get place() {
        return load.place;
      },
      get moved() {
        return load.moved;
      },
      leave,
    };
  }

  async seek(operator: string, name: string, from: UpstreamInstant): Promise<boolean> {
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
