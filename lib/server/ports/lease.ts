import 'server-only';
import type { LocalInstant } from '#lib/time/instant.ts';

/** The exclusive right to do something for a limited time. */
export interface Lease {
  readonly name: string;
  /** Greater than the fence of every earlier lease of this name; a write under an older fence is refused. */
  readonly fence: number;
}

/** Decides who refreshes an area. The clocks of all callers agree, to well within the duration of a lease. */
export interface Leases {
  /** `undefined` where another caller has it. An expired lease may be acquired by anyone. */
  acquire(name: string, ttlMs: number, now: LocalInstant): Promise<Lease | undefined>;
  /** Releases it early. Does nothing where it has expired and another caller acquired it. */
  release(lease: Lease): Promise<void>;
}
