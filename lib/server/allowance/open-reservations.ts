import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Spending } from './ledger.ts';

/** Requests that were granted and are neither attempted nor released. */
export interface OpenReservation {
  readonly spending: Spending;
  /** Only of history, and only if the caller named one. */
  readonly operator?: string | undefined;
  readonly reservedAt: UpstreamInstant;
  readonly left: number;
}

/** The reservations that are under way, with the one among them that probes. */
export class OpenReservations {
  probeId: number | undefined;
  readonly #byId = new Map<number, OpenReservation>();
  #settledAt: readonly UpstreamInstant[] = [];

  [Symbol.iterator](): IterableIterator<[number, OpenReservation]> {
    return this.#byId.entries();
  }

  get(id: number): OpenReservation | undefined {
    return this.#byId.get(id);
  }

  set(id: number, open: OpenReservation): void {
    this.#byId.set(id, open);
  }

  /** Does nothing after the first call. */
  delete(id: number): void {
    this.#byId.delete(id);
    if (this.probeId === id) this.probeId = undefined;
    this.#forgetSettled();
  }

  /** How many are left of all, or for one purpose. */
  requests(spending?: Spending): number {
    let requests = 0;
    for (const open of this.#byId.values()) {
      if (spending === undefined || open.spending === spending) requests += open.left;
    }
    return requests;
  }

  /** Takes one request. @throws Error where none is left: the caller sends more than was granted */
  take(id: number): OpenReservation {
    const open = this.#byId.get(id);
    if (!open || open.left === 0) throw new Error(`an attempt on reservation ${id}, which has no request left`);
    this.#byId.set(id, { ...open, left: open.left - 1 });
    if (this.probeId === id) this.probeId = undefined;
    return open;
  }

  settled(at: UpstreamInstant): void {
    this.#settledAt = [...this.#settledAt, at];
    this.#forgetSettled();
  }

  /** Counted attempts that completed while one was in flight that was sent then. */
  overlapping(sentAt: UpstreamInstant): number {
    return this.#settledAt.filter((settledAt) => settledAt > sentAt).length;
  }

  #forgetSettled(): void {
    const open = [...this.#byId.values()].filter(({ left }) => left > 0);
    const overlaps = (settledAt: UpstreamInstant) => open.some(({ reservedAt }) => settledAt > reservedAt);
    this.#settledAt = this.#settledAt.filter(overlaps);
  }
}
