import 'server-only';

/** Share of the time that work may take. */
const WORKING_PART = 1 / 5;

/** At most once in a period; requests meanwhile share the next run. */
export class PacedWork {
  readonly #everyMs: number;
  readonly #work: () => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;
  #isWantedAgain = false;
  #nextMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  /** @param work does not reject */
  constructor(everyMs: number, work: () => Promise<unknown>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  soon(): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    if (this.#running !== undefined) {
      this.#isWantedAgain = true;
      return;
    }
    const waitMs = Math.max(0, this.#nextMs - performance.now());
    this.#timer = setTimeout(() => this.#run(), waitMs).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #run(): void {
    this.#timer = undefined;
    this.#isWantedAgain = false;
    const startedMs = performance.now();
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
      const tookMs = performance.now() - startedMs;
      this.#nextMs = startedMs + Math.max(this.#everyMs, tookMs / WORKING_PART);
      if (this.#isWantedAgain) this.soon();
    });
  }
}
