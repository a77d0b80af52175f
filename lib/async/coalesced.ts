// Runs one piece of work for many calls. One run at a time; `run` settles with a run that begins after the call. It never
// repeats a failed run, passes arguments to the work, or reads a clock that it is not given. Queues such as p-queue and
// p-throttle run every call. Debouncing with p-debounce can share the next run, but the first caller waits for it too, and
// none of them takes a clock.

import type { Clock } from './wait.ts';

/**
 * Work that never overlaps itself. Calls while it runs share the one run that follows, however many they are. A run
 * that fails rejects for its own callers only.
 */
export class Coalesced<Result> {
  readonly #work: () => Promise<Result>;
  readonly #gather: (() => Promise<void>) | undefined;
  #running: Promise<Result> | undefined;
  /** The run that has not begun: calls share it. */
  #next: Promise<Result> | undefined;

  /** @param gather is awaited before each run: calls until then share the run */
  constructor(work: () => Promise<Result>, gather?: () => Promise<void>) {
    this.#work = work;
    this.#gather = gather;
  }

  /** Settles with a run that begins after this call. Without `gather`, an idle one begins at once. */
  run(): Promise<Result> {
    if (!this.#next && !this.#running && !this.#gather) return this.#begin();
    this.#next ??= this.#afterRunning().then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  /** Settles with the current run, where there is one. Otherwise it begins one. */
  join(): Promise<Result> {
    return this.#running ?? this.run();
  }

  /** Resolves when no run is active or waits, whether they failed or not. */
  async idle(): Promise<void> {
    while (this.#running || this.#next) await (this.#next ?? this.#running)?.catch(() => undefined);
  }

  async #afterRunning(): Promise<void> {
    if (this.#running !== undefined) await this.#running.catch(() => undefined);
    await this.#gather?.();
  }

  #begin(): Promise<Result> {
    const running = this.#work().finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}

/** The share of the time that paced work takes at most. */
const WORKING_SHARE = 1 / 5;

/** Background work that begins at most once in a period. Longer work pauses for longer. */
export class Paced {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #work: () => Promise<unknown>;
  readonly #runs = new Coalesced(
    () => this.#run(),
    () => this.#pause(),
  );
  #nextMs = Number.NEGATIVE_INFINITY;
  #endPause = () => {};
  #isStopped = false;

  /** @param work must not reject */
  constructor(everyMs: number, work: () => Promise<unknown>, clock: Clock) {
    this.#everyMs = everyMs;
    this.#work = work;
    this.#clock = clock;
  }

  /** Begins a run after the pause. Does nothing once it is stopped. */
  soon(): void {
    // It never rejects, since the work does not.
    if (!this.#isStopped) void this.#runs.run();
  }

  /** Drops the run that has not begun, and waits for the current one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await this.#runs.idle();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(Math.max(0, this.#nextMs - this.#clock.nowMs()), resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
      if (this.#isStopped) this.#endPause();
    });
  }

  async #run(): Promise<void> {
    if (this.#isStopped) return;
    const startedMs = this.#clock.nowMs();
    await this.#work();
    const tookMs = this.#clock.nowMs() - startedMs;
    this.#nextMs = startedMs + Math.max(this.#everyMs, tookMs / WORKING_SHARE);
  }
}
