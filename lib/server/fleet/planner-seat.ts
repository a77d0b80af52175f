import 'server-only';
import type { LocalInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Lease, Leases } from '../ports/lease.ts';

/** With a beat each second, and the time that a successor needs, less than the five seconds in which another one plans. */
export const SEAT_MS = 3 * SECOND_MS;
/** Before its end nothing is begun any more: what was begun has been published by then, so that a successor knows of it. */
const FIRM_UNTIL_MS = SECOND_MS;
const SEAT_NAME = 'planner';

export interface PlannerSeatOptions {
  readonly leases: Leases;
  readonly now: () => LocalInstant;
  /** A clock that nobody sets, in milliseconds. */
  readonly monotonicMs: () => number;
}

/** The right to plan for all servers: of one at a time, for as long as it says so each second. */
export class PlannerSeat {
  readonly #options: PlannerSeatOptions;
  #lease: Lease | undefined;
  #endsMs = 0;

  constructor(options: PlannerSeatOptions) {
    this.#options = options;
  }

  /** `undefined` where this server does not have it, or has not been able to say so for too long: it may be another's by now. */
  get lease(): Lease | undefined {
    return this.#options.monotonicMs() < this.#endsMs ? this.#lease : undefined;
  }

  /** Whether it lasts long enough to begin something. */
  get isFirm(): boolean {
    return this.#lease !== undefined && this.#options.monotonicMs() < this.#endsMs - FIRM_UNTIL_MS;
  }

  /** Keeps it, or takes it where nobody has it. To be called each second. @throws SharedStoreFailure where that is not known */
  async beat(): Promise<Lease | undefined> {
    const { leases, now, monotonicMs } = this.#options;
    // From before it was asked for: the answer may take its time.
    const endsMs = monotonicMs() + SEAT_MS;
    if (!this.#lease || !(await leases.renew(this.#lease, SEAT_MS, now()))) {
      this.#lease = undefined;
      this.#lease = await leases.acquire(SEAT_NAME, SEAT_MS, now());
    }
    if (this.#lease) this.#endsMs = endsMs;
    return this.lease;
  }

  /** Another one has it. */
  lose(): void {
    this.#lease = undefined;
  }

  /** Leaves it to the others. */
  async release(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease) await this.#options.leases.release(lease);
  }
}
