import 'server-only';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import type { Lease, Leases } from '../lease.ts';

/** The leases of an app that runs as one process. */
export class EmbeddedLeases implements Leases {
  readonly #held = new Map<string, { readonly fence: number; readonly endsAt: LocalInstant }>();
  /** One count for all names, so that a name that was let go needs no memory to keep its fences growing. */
  #fence = 0;

  async acquire(name: string, ttlMs: number, now: LocalInstant): Promise<Lease | undefined> {
    for (const [each, { endsAt }] of this.#held) if (endsAt <= now) this.#held.delete(each);
    if (this.#held.has(name)) return undefined;
    const fence = ++this.#fence;
    this.#held.set(name, { fence, endsAt: addMs(now, ttlMs) });
    return { name, fence };
  }

  async release({ name, fence }: Lease): Promise<void> {
    if (this.#held.get(name)?.fence === fence) this.#held.delete(name);
  }
}
