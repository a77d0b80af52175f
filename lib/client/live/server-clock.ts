import {
  addMs,
  epochMs,
  type LocalInstant,
  localInstant,
  msBetween,
  type UpstreamInstant,
  upstreamInstant,
} from '#lib/time/instant.ts';

/** The rates of these clocks are trusted, their absolute values are not. */
export interface BrowserClocks {
  /** Monotonic milliseconds; may stop while the machine sleeps. */
  monotonicMs(): number;
  /** The machine's clock, which may be wrong and may be set at any time. */
  wallNow(): LocalInstant;
}

export function browserNow(): LocalInstant {
  return localInstant(Date.now());
}

/** The server's time, derived from answers: ages are correct even if the browser's clock is not. */
export class ServerClock {
  readonly #clocks: BrowserClocks;
  #synced: { readonly at: UpstreamInstant; readonly monotonicMs: number; readonly wall: LocalInstant } | undefined;

  constructor(clocks: BrowserClocks) {
    this.#clocks = clocks;
  }

  /** @param delayMs the answer's age now: half the round trip is the best estimate */
  sync(asOf: UpstreamInstant, delayMs: number): void {
    this.#synced = {
      at: addMs(asOf, delayMs),
      monotonicMs: this.#clocks.monotonicMs(),
      wall: this.#clocks.wallNow(),
    };
  }

  /**
   * `undefined` before the first answer. The larger difference of both clocks: the monotonic one may stop during a
   * sleep. Positions may look too old, but never too young.
   */
  now(): UpstreamInstant | undefined {
    if (!this.#synced) return undefined;
    const { at, monotonicMs, wall } = this.#synced;
    const elapsedMs = Math.max(0, this.#clocks.monotonicMs() - monotonicMs, msBetween(wall, this.#clocks.wallNow()));
    return addMs(at, elapsedMs);
  }

  /** Like `now`, but the browser's time before the first answer: not for ages. */
  presumedNow(): UpstreamInstant {
    return this.now() ?? upstreamInstant(epochMs(this.#clocks.wallNow()));
  }
}
