import 'server-only';
import { nextMinute } from '#lib/time/calendar-edge.ts';
import type { Instant } from '#lib/time/instant.ts';

/**
 * Keeps requests under way from spending more than the account's minute has left: what the headers last said, less what is
 * in flight. Times are on the upstream's clock.
 */
export class MinuteRoom {
  readonly #inFlight = new Set<Promise<unknown>>();
  #left: { requests: number; until: Instant } | undefined;

  /** A late answer can't raise what is left of its minute. */
  learn(minuteRemaining: number | undefined, now: Instant): void {
    if (minuteRemaining === undefined) return;
    const known = this.#left && now < this.#left.until ? this.#left.requests : Number.POSITIVE_INFINITY;
    this.#left = { requests: Math.min(known, minuteRemaining), until: nextMinute(now) };
  }

  /** What to wait for before another request may leave; `undefined` where there is room, or nothing in flight to wait for. */
  wait(now: Instant): Promise<unknown> | undefined {
    if (this.#inFlight.size === 0 || !this.#left || now >= this.#left.until) return undefined;
    return this.#left.requests > this.#inFlight.size ? undefined : Promise.race(this.#inFlight);
  }

  /** Counts a request for as long as it is under way. */
  track<T>(request: Promise<T>): Promise<T> {
    const settled = request.then(
      () => undefined,
      () => undefined,
    );
    this.#inFlight.add(settled);
    void settled.then(() => this.#inFlight.delete(settled));
    return request;
  }
}
