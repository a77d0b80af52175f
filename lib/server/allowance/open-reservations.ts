import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Spending } from './ledger.ts';

export interface OpenReservation {
  readonly spending: Spending;
  readonly operator?: string | undefined;
  readonly reservedAt: UpstreamInstant;
  readonly left: number;
}

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

  delete(id: number): void {
    this.#byId.delete(id);
    if (this.probeId === id) this.probeId = undefined;
    this.#forgetSettled();
  }

  requests(spending?: Spending): number {
    let requests = 0;
    for (const open of this.#byId.values()) {
      if (spending === undefined || open.spending === spending) requests += open.left;
    }
    return requests;
  }

  /** @throws Error where none is left */
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

  /** Counted attempts that completed since then. */
  overlapping(sentAt: UpstreamInstant): number {
    return this.#settledAt.filter((settledAt) => settledAt > sentAt).length;
  }

  #forgetSettled(): void {
    const open = [...this.#byId.values()].filter(({ left }) => left > 0);
    const overlaps = (settledAt: UpstreamInstant) => open.some(({ reservedAt }) => settledAt > reservedAt);
    this.#settledAt = this.#settledAt.filter(overlaps);
  }
}
