import { setImmediate as nextLoop } from 'node:timers/promises';
import zlib from 'node:zlib';

interface Event {
  readonly atMs: number;
  /** Events of the same time run in the order in which they were added. */
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
type Timers = Pick<typeof globalThis, (typeof TIMERS)[number]>;

/**
 * Time that jumps to the next event. While it runs, the timers of this thread are virtual. Immediates and zlib stay real, and take no
 * virtual time: each event waits for those of the event before it.
 */
export class VirtualTime {
  nowMs: number;
  #order = 0;
  /** A binary heap. */
  readonly #heap: Event[] = [];
  /** Of the process that sets timers now. */
  #process = 0;

  /** @param startMs since 1970 */
  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Adds an event of the world, which no kill drops. */
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

  /** Drops all timers that were set: their process was killed. */
  dropTimers(): void {
    this.#process++;
  }

  /** Runs all events before `endMs`, each after the work of the one before it has ended. */
  async runUntil(endMs: number): Promise<void> {
    const real = pick(globalThis);
    const zlibWork = countZlibWork();
    Object.assign(globalThis, this.#timers());
    try {
      for (let first = this.#heap[0]; first && first.atMs < endMs; first = this.#heap[0]) {
        this.#removeFirst();
        this.nowMs = first.atMs;
        first.run();
        // The engine chains immediates, and more follow from what zlib returns.
        do await nextLoop();
        while (zlibWork.running > 0 || process.getActiveResourcesInfo().includes('Immediate'));
      }
      this.nowMs = endMs;
    } finally {
      zlibWork.stop();
      Object.assign(globalThis, real);
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

type Transform = (this: unknown, chunk: unknown, encoding: unknown, done: (...results: unknown[]) => void) => void;

/** Counts what the threads of zlib are working on, which is in no list of active resources. */
function countZlibWork() {
  const streams = Object.getPrototypeOf(Object.getPrototypeOf(zlib.DeflateRaw.prototype)) as { _transform: Transform };
  const real = streams._transform;
  const work = {
    running: 0,
    stop() {
      streams._transform = real;
    },
  };
  streams._transform = function (chunk, encoding, done) {
    work.running++;
    real.call(this, chunk, encoding, (...results) => {
      work.running--;
      done(...results);
    });
  };
  return work;
}
