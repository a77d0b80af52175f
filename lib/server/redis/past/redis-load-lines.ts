import 'server-only';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { epochMs, type LocalInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { requireRoomInLine } from '../../history/room-in-line.ts';
import { digest } from '../../http/digest.ts';
import { type LoadLines, type PlaceInLine, RUNNING_MAX, type SeekableLoad } from '../../ports/load-lines.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { RedisFailure } from '../connection/redis-failure.ts';
import { type LoadInLine, LoadLineStore } from './load-line-store.ts';

export interface RedisLoadLinesOptions {
  readonly connection: Pick<RedisConnection, 'run' | 'subscribe'>;
  readonly now: () => LocalInstant;
  /** How often each load gives a sign of life; 0: only `beat` does. */
  readonly beatEveryMs?: number;
}

const BEAT_EVERY_MS = 1.5 * SECOND_MS;

const seekSchema = z.object({ line: z.string(), name: z.string(), from: z.number().transform(upstreamInstant) });

/**
 * The loads of several servers: an operator's line is in the store, and each server gives signs of life of its own loads. While the store does not
 * answer, each server goes on with its own: what is not cached cannot be asked for then anyway.
 */
export class RedisLoadLines implements LoadLines {
  readonly #now: () => LocalInstant;
  readonly #store: LoadLineStore;
  readonly #beatEveryMs: number;
  /** By digest of the operator. */
  readonly #lines = new Map<string, Line>();
  #timer: NodeJS.Timeout | undefined;
  #latestUs = 0;

  constructor({ connection, now, beatEveryMs = BEAT_EVERY_MS }: RedisLoadLinesOptions) {
    this.#now = now;
    this.#store = new LoadLineStore(connection);
    this.#beatEveryMs = beatEveryMs;
    connection.subscribe(this.#store.moved, (name) => {
      const line = this.#lines.get(name);
      if (line) void this.#update(line);
    });
    connection.subscribe(this.#store.seeks, (message) => this.#heardSeek(message));
  }

  get loads(): LoadLines['loads'] {
    const loads = [...this.#lines.values()].flatMap((line) => line.loads);
    const running = loads.filter(({ isRunning }) => isRunning).length;
    return { running, waiting: loads.length - running };
  }

  enter(operator: string, seekable: SeekableLoad, signal: AbortSignal): PlaceInLine {
    signal.throwIfAborted();
    const name = digest(operator);
    const line = this.#lines.get(name) ?? new Line(name);
    requireRoomInLine(line.size);
    const load = new Load(seekable, this.#enteredUs());
    line.loads.push(load);
    this.#lines.set(name, line);
    const leave = () => {
      signal.removeEventListener('abort', leave);
      const at = line.loads.indexOf(load);
      if (at < 0) return;
      line.loads.splice(at, 1);
      line.left.push(load.id);
      void this.#update(line);
    };
    signal.addEventListener('abort', leave, { once: true });
    load.leave = leave;
    void this.#update(line);
    this.#timer ??= this.#beatEveryMs > 0 ? setInterval(() => void this.beat(), this.#beatEveryMs).unref() : undefined;
    return load;
  }

  async seek(operator: string, name: string, from: UpstreamInstant): Promise<boolean> {
    const line = digest(operator);
    if (this.#seekHere(line, name, from)) return true;
    try {
      const message = JSON.stringify({ line, name, from: epochMs(from) });
      return await this.#store.seek(line, name, message, this.#now());
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error;
      return false;
    }
  }

  /** Signs of life of all loads of this server. */
  async beat(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => this.#update(line)));
  }

  /** One command at a time for each line; what comes meanwhile goes with the next one. */
  async #update(line: Line): Promise<void> {
    line.isStale = true;
    line.updating ??= this.#exchangeAll(line);
    await line.updating;
  }

  async #exchangeAll(line: Line): Promise<void> {
    try {
      while (line.isStale) {
        line.isStale = false;
        await this.#exchange(line);
      }
    } finally {
      // In the same turn as the last look: what comes after it begins anew.
      line.updating = undefined;
      if (line.loads.length === 0) this.#forget(line);
    }
  }

  async #exchange(line: Line): Promise<void> {
    const left = line.left.splice(0);
    try {
      line.arrange(await this.#store.exchange(line.name, line.loads, left, this.#now()));
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error;
      line.left.unshift(...left);
      line.arrangeAlone();
    }
  }

  #forget(line: Line): void {
    if (this.#lines.get(line.name) === line) this.#lines.delete(line.name);
    if (this.#lines.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #heardSeek(message: string): void {
    const heard = seekSchema.safeParse(parsed(message)).data;
    if (heard) this.#seekHere(heard.line, heard.name, heard.from);
  }

  #seekHere(line: string, name: string, from: UpstreamInstant): boolean {
    const load = this.#lines.get(line)?.loads.findLast(({ seekable }) => seekable.name === name);
    load?.seekable.seek(from);
    return load !== undefined;
  }

  /** Later than that of the load before, so that the order of those that come together is theirs. */
  #enteredUs(): number {
    this.#latestUs = Math.max(this.#latestUs + 1, Math.round(epochMs(this.#now()) * 1000));
    return this.#latestUs;
  }
}

/** The loads of one operator at this server. */
class Line {
  readonly name: string;
  readonly loads: Load[] = [];
  /** Not written to the store yet. */
  readonly left: string[] = [];
  isStale = false;
  updating: Promise<void> | undefined;
  /** At all servers, when the store last answered. */
  #known = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** How many there are at all servers, as far as is known here. */
  get size(): number {
    return Math.max(this.loads.length, this.#known + this.loads.filter(({ hasEntered }) => !hasEntered).length);
  }

  /** @param all at all servers, those that run first, and then in order */
  arrange(all: readonly LoadInLine[]): void {
    this.#known = all.length;
    const running = all.filter(({ isRunning }) => isRunning).length;
    for (const [index, { id, isRunning }] of all.entries()) {
      const load = this.loads.find((each) => each.id === id);
      load?.settle(isRunning ? undefined : index - running + 1);
    }
  }

  /** As if there were no other servers. */
  arrangeAlone(): void {
    this.#known = 0;
    let running = this.loads.filter(({ isRunning }) => isRunning).length;
    let place = 0;
    for (const load of this.loads) {
      if (load.isRunning) continue;
      if (running < RUNNING_MAX) {
        running++;
        load.settle(undefined);
      } else load.settle(++place);
    }
  }
}

class Load implements PlaceInLine {
  readonly id = randomUUID();
  readonly seekable: SeekableLoad;
  readonly enteredUs: number;
  place: number | undefined;
  hasEntered = false;
  leave: () => void = () => undefined;
  readonly #entered = Promise.withResolvers<void>();
  #next = Promise.withResolvers<void>();

  constructor(seekable: SeekableLoad, enteredUs: number) {
    this.seekable = seekable;
    this.enteredUs = enteredUs;
  }

  get name(): string | undefined {
    return this.seekable.name;
  }

  get isRunning(): boolean {
    return this.hasEntered && this.place === undefined;
  }

  get entered(): Promise<void> {
    return this.#entered.promise;
  }

  get moved(): Promise<void> {
    return this.#next.promise;
  }

  /** One that runs is not stopped, whatever became of its place. */
  settle(place: number | undefined): void {
    if (this.isRunning) return;
    const isMoved = this.hasEntered && this.place !== place;
    this.place = place;
    this.hasEntered = true;
    this.#entered.resolve();
    if (!isMoved) return;
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
