import 'server-only';

/**
 * Writes a state that may change while it is written: one write at a time, and each writes the latest state. However many changes wait, two
 * writes serve them all.
 */
export class LatestWrite<Result> {
  readonly #write: () => Promise<Result>;
  #running: Promise<Result> | undefined;
  #next: Promise<Result> | undefined;

  /** @param write writes the state as it is when this is called */
  constructor(write: () => Promise<Result>) {
    this.#write = write;
  }

  /** Resolves with what a write returned that began after this call. */
  written(): Promise<Result> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#idle().then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  /** Resolves when no write is under way or waits. */
  async ended(): Promise<void> {
    while (this.#running || this.#next) await (this.#next ?? this.#running)?.catch(() => undefined);
  }

  #begin(): Promise<Result> {
    const running = this.#write().finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #idle(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }
}
