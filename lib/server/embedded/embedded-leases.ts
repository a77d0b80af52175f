import 'server-only';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import type { Lease, Leases } from '../ports/lease.ts';

/** The leases of an app that runs as one process. */
export class EmbeddedLeases implements Leases {
  readonly #leases = new Map<string, { readonly fence: number; readonly endsAt: LocalInstant }>();
  /** One counter for all names, so that fences keep growing without a record of released names. */
  #fence = 0;

  async acquire(name: string, ttlMs: number, now: LocalInstant): Promise<Lease | undefined> {
    for (const [each, { endsAt }] of this.#leases) if (endsAt <= now) this.#leases.delete(each);
    if (this.#leases.has(name)) return undefined;
    const fence = ++this.#fence;
    this.#leases.set(name, { fence, endsAt: addMs(now, ttlMs) });
    return { name, fence };
  }

  async renew({ name, fence }: Lease, ttlMs: number, now: LocalInstant): Promise<boolean> {
    const lease = this.#leases.get(name);
    if (lease?.fence !== fence || lease.endsAt <= now) return false;
    this.#leases.set(name, { fence, endsAt: addMs(now, ttlMs) });
    return true;
  }

  async release({ name, fence }: Lease): Promise<void> {
    if (this.#leases.get(name)?.fence === fence) this.#leases.delete(name);
  }
}
