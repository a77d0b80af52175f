import 'server-only';
import { addMs, type Instant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/**
 * The upstream's clock as its answers tell it: generated_at was written between sending and receiving. Ages, and the edges
 * of minutes and days, are the upstream's and not ours.
 */
export class UpstreamClock {
  readonly #localNow: () => Instant;
  #offsetMs = 0;
  /** Half the round trip of the sample that the offset came from: how wrong it can be. */
  #doubtMs = Number.POSITIVE_INFINITY;
  #sampledAt: Instant | undefined;

  constructor(localNow: () => Instant) {
    this.#localNow = localNow;
  }

  /** The sharper sample wins for a minute; after that any newer one does, since clocks drift and are set. */
  sample(generatedAt: Instant, sentAt: Instant, receivedAt: Instant): void {
    const doubtMs = (receivedAt - sentAt) / 2;
    const offsetMs = generatedAt - (sentAt + doubtMs);
    const old = this.#sampledAt === undefined || receivedAt - this.#sampledAt > MINUTE_MS;
    const contradicted = Math.abs(offsetMs - this.#offsetMs) > doubtMs + this.#doubtMs;
    if (!old && !contradicted && doubtMs > this.#doubtMs) return;
    this.#offsetMs = offsetMs;
    this.#doubtMs = doubtMs;
    this.#sampledAt = receivedAt;
  }

  /** Now, by the upstream's clock. */
  now(): Instant {
    return this.fromLocal(this.#localNow());
  }

  fromLocal(local: Instant): Instant {
    return addMs(local, Math.round(this.#offsetMs));
  }

  toLocal(upstream: Instant): Instant {
    return addMs(upstream, -Math.round(this.#offsetMs));
  }
}
