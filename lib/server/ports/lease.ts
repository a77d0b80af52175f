import 'server-only';
import type { LocalInstant } from '#lib/time/instant.ts';

/** The right to do a piece of work alone, for a while. */
export interface Lease {
  readonly name: string;
  /** Greater than that of every lease of the name before it: what was written under an older one is refused. */
  readonly fence: number;
}

/** Who refreshes an area. The clocks of all callers agree, to well within the time that a lease runs. */
export interface Leases {
  /** `undefined` where somebody else holds it. A lease that ran out may be taken over. */
  acquire(name: string, ttlMs: number, now: LocalInstant): Promise<Lease | undefined>;
  /** Gives it back before its time; does nothing where it was taken over. */
  release(lease: Lease): Promise<void>;
}
