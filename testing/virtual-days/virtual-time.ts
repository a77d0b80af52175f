import { setImmediate as nextLoop } from 'node:timers/promises';
import zlib from 'node:zlib';

interface Event {
  readonly atMs: number;
  /** Of equal times, in the order of addition. */
  readonly order: number;
  readonly run: () => void;
}

/** Node's `Timeout`, as far as the engine uses it. */
interface VirtualTimer {
  isCleared: boolean;
  ref(): VirtualTimer;
  unref(): VirtualTimer;
}

const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
/** Timers belong to the thread. */
let isRunning = false;
type Timers = Pick<typeof globalThis, (typeof TIMERS)[number]>;

/**
 * The thread's timers are virtual and zlib is synchronous. Immediates stay real: each event waits for those of the
 * last.
 */
export class VirtualTime {
  nowMs: number;
  #order = 0;
  readonly #heap: Event[] = [];
  #process = 0;

  /** @param startMs since 1970 */
  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  at(atMs: number, run: () => void): void {
    const heap = this.#heap;
    const event = { atMs: Math.max(this.nowMs, Math.ceil(atMs)), order: this.#order++, run };
    let hole = heap.length;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = heap[parent]!;
      if (!isBefore(event, above)) break;
      heap[hole] = above;
      hole = parent;
    }
    heap[hole] = event;
  }

  in(ms: number, run: () => void): void {
    this.at(this.nowMs + ms, run);
  }

  dropTimers(): void {
    this.#process++;
  }

  /** All before `endMs`, each after the last one's work. */
  async runUntil(endMs: number): Promise<void> {
    if (isRunning) throw new Error('another virtual time runs in this thread');
    isRunning = true;
    const real = pick(globalThis);
    const restoreZlib = makeZlibSync();
    Object.assign(globalThis, this.#timers());
    try {
      for (let first = this.#heap[0]; first && first.atMs < endMs; first = this.#heap[0]) {
        this.#removeFirst();
        this.nowMs = first.atMs;
        first.run();
        // The engine chains immediates.
        do await nextLoop();
        while (process.getActiveResourcesInfo().includes('Immediate'));
      }
      this.nowMs = endMs;
    } finally {
      restoreZlib();
      Object.assign(globalThis, real);
      isRunning = false;
    }
  }

  #timers(): Timers {
    const set = (run: (...args: unknown[]) => void, ms: number | undefined, args: unknown[], repeats: boolean) => {
      const timer: VirtualTimer = { isCleared: false, ref: () => timer, unref: () => timer };
      const process = this.#process;
      // As Node rounds it.
      const delayMs = Math.max(1, Math.trunc(ms ?? 1) || 1);
      const fire = () => {
        if (timer.isCleared || process !== this.#process) return;
        if (repeats) this.in(delayMs, fire);
        run(...args);
      };
      this.in(delayMs, fire);
      return timer;
    };
    const clear = (timer: VirtualTimer | undefined) => {
      if (timer) timer.isCleared = true;
    };
    return {
      setTimeout: (run: () => void, ms?: number, ...args: unknown[]) => set(run, ms, args, false),
      setInterval: (run: () => void, ms?: number, ...args: unknown[]) => set(run, ms, args, true),
      clearTimeout: clear,
      clearInterval: clear,
    } as unknown as Timers;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const moved = heap.pop()!;
    if (heap.length === 0) return;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, moved)) break;
      heap[hole] = heap[child]!;
      hole = child;
    }
    heap[hole] = moved;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

function pick(from: Timers): Timers {
  return Object.fromEntries(TIMERS.map((name) => [name, from[name]])) as unknown as Timers;
}

/** Common to all of zlib's streams; missing in Node's types. */
interface ZlibStream {
  _finishFlushFlag: number;
  _processChunk(chunk: Uint8Array, flush: number): Uint8Array;
  _transform(chunk: Uint8Array, encoding: string, done: (error: Error | null, output?: Uint8Array) => void): void;
  _flush(done: () => void): void;
}

/**
 * zlib's threads end at any time, and are no active resources.
 * @returns what restores the functions
 */
function makeZlibSync(): () => void {
  const streams = Object.getPrototypeOf(Object.getPrototypeOf(zlib.DeflateRaw.prototype)) as ZlibStream;
  const { _transform, _flush } = streams;
  streams._transform = function (chunk, _encoding, done) {
    let output: Uint8Array;
    try {
      output = this._processChunk(chunk, this._finishFlushFlag);
    } catch (error) {
      done(error as Error);
      return;
    }
    done(null, output);
  };
  streams._flush = (done) => done();
  return () => Object.assign(streams, { _transform, _flush });
}
