import 'server-only';

/** Work that others wait for: done at once, and no more often than so; what is wanted meanwhile is done together. */
export class PacedWork {
  readonly #everyMs: number;
  readonly #work: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #doneMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  /** @param work does not reject where it is wanted soon */
  constructor(everyMs: number, work: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  soon(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    const waitMs = Math.max(0, this.#doneMs + this.#everyMs - performance.now());
    this.#timer = setTimeout(() => void this.now(), waitMs).unref();
  }

  async now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#doneMs = performance.now();
    await this.#work();
  }

  /** `now` still works. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
