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
  /**
   * `undefined` where another caller has it. An expired lease may be acquired by anyone.
   * @throws SharedStoreFailure where the store of leases cannot tell: nobody may act as if it were acquired
   */
  acquire(name: string, ttlMs: number, now: LocalInstant): Promise<Lease | undefined>;
  /**
   * Makes it end that long after now instead, under the same fence. False where it has ended, whether another caller has it or not.
   * @throws SharedStoreFailure where the store of leases cannot tell: it ends when it would have
   */
  renew(lease: Lease, ttlMs: number, now: LocalInstant): Promise<boolean>;
  /** Releases it early. Does nothing where it has expired and another caller acquired it. */
  release(lease: Lease): Promise<void>;
}
