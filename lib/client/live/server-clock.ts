/** The clocks of the browser: neither is trusted to be right, only to run. */
export interface BrowserClocks {
  /** Milliseconds, monotonic; may stand still while the machine sleeps. */
  monotonicMs(): number;
  /** Milliseconds of the epoch by the browser; may be wrong, and may be set while we look. */
  wallMs(): number;
}

/**
 * The upstream's clock as the browser knows it from the answers: ages are measured against it, so that a browser clock
 * that is an hour off changes no age.
 */
export class ServerClock {
  readonly #clocks: BrowserClocks;
  #synced: { serverMs: number; monotonicMs: number; wallMs: number } | undefined;

  constructor(clocks: BrowserClocks) {
    this.#clocks = clocks;
  }

  /**
   * @param asOfMs the moment of the answer on the upstream's clock
   * @param delayMs how long ago that was when this is called: half the round trip is the best guess
   */
  sync(asOfMs: number, delayMs: number): void {
    this.#synced = {
      serverMs: asOfMs + delayMs,
      monotonicMs: this.#clocks.monotonicMs(),
      wallMs: this.#clocks.wallMs(),
    };
  }

  /**
   * Now on the upstream's clock; `undefined` before the first answer. After a sleep, in which the monotonic clock stood
   * still, the wall clock's difference is the longer one: positions may only look too old until the next answer, never
   * too young.
   */
  nowMs(): number | undefined {
    if (!this.#synced) return undefined;
    const elapsedMs = Math.max(
      0,
      this.#clocks.monotonicMs() - this.#synced.monotonicMs,
      this.#clocks.wallMs() - this.#synced.wallMs,
    );
    return this.#synced.serverMs + elapsedMs;
  }
}
