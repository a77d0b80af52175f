import 'server-only';

/** Two writes serve any number of waiting changes: each writes the latest state. */
export class LatestWrite<Result> {
  readonly #write: () => Promise<Result>;
  #running: Promise<Result> | undefined;
  #next: Promise<Result> | undefined;

  constructor(write: () => Promise<Result>) {
    this.#write = write;
  }

  /** Resolves with the result of a write that began after this call. */
  written(): Promise<Result> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#idle().then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

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
