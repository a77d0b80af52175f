import {
  addMs,
  epochMs,
  type LocalInstant,
  localInstant,
  msBetween,
  type UpstreamInstant,
  upstreamInstant,
} from '#lib/time/instant.ts';

/** What the browser measures time with: neither is trusted to be right, only to run. */
export interface BrowserClocks {
  /** Milliseconds, monotonic; may stand still while the machine sleeps. */
  monotonicMs(): number;
  /** May be wrong, and may be set while we look. */
  wallNow(): LocalInstant;
}

export function browserNow(): LocalInstant {
  return localInstant(Date.now());
}

/** The upstream's clock as the browser knows it from the answers, so that a browser clock that is an hour off changes no age. */
export class ServerClock {
  readonly #clocks: BrowserClocks;
  #synced: { readonly at: UpstreamInstant; readonly monotonicMs: number; readonly wall: LocalInstant } | undefined;

  constructor(clocks: BrowserClocks) {
    this.#clocks = clocks;
  }

  /**
   * @param asOf the moment of the answer
   * @param delayMs how long ago that was when this is called: half the round trip is the best guess
   */
  sync(asOf: UpstreamInstant, delayMs: number): void {
    this.#synced = {
      at: addMs(asOf, delayMs),
      monotonicMs: this.#clocks.monotonicMs(),
      wall: this.#clocks.wallNow(),
    };
  }

  /**
   * `undefined` before the first answer. After a sleep, in which the monotonic clock stood still, the wall clock's difference
   * is the longer one: positions may only look too old until the next answer, never too young.
   */
  now(): UpstreamInstant | undefined {
    if (!this.#synced) return undefined;
    const { at, monotonicMs, wall } = this.#synced;
    const elapsedMs = Math.max(0, this.#clocks.monotonicMs() - monotonicMs, msBetween(wall, this.#clocks.wallNow()));
    return addMs(at, elapsedMs);
  }

  /** Before the first answer the browser's time is taken for the upstream's: good enough to propose "the last hour", and no age. */
  presumedNow(): UpstreamInstant {
    return this.now() ?? upstreamInstant(epochMs(this.#clocks.wallNow()));
  }
}
