import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { Position } from '#lib/model/position.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Lease, Leases } from '../ports/lease.ts';
import type { Ledger, Spending } from '../ports/ledger.ts';
import type { Area, AreaSnapshot, Snapshots } from '../ports/snapshots.ts';
import { Budget } from '../upstream/budget.ts';
import type { PageOutcome } from '../upstream/page-outcome.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { LivePageQuery } from '../upstream/upstream-request.ts';
import { type PagesRead, type Refresh, refreshArea } from './refresh-area.ts';

/** Longer than any refresh may take: who holds the lease and is gone delays the area by no more. */
const LEASE_MS = MINUTE_MS;

export interface AreaRefresherOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly snapshots: Snapshots;
  readonly now: () => LocalInstant;
}

/** A refresh, and the requests that it made. */
export type RefreshDone = Refresh & { readonly requests: number };

/** Refreshes one area: reads its pages under a lease, pays for them, and stores what came. */
export class AreaRefresher {
  readonly #options: AreaRefresherOptions;

  constructor(options: AreaRefresherOptions) {
    this.#options = options;
  }

  /**
   * @param expected requests
   * @param onRecords called whenever records are there for viewers, and more are to come
   * @returns `undefined` where somebody else reads the area at this moment: their snapshot is ours
   */
  async refresh(
    area: Area,
    spending: Spending,
    expected: number,
    onRecords: () => void,
  ): Promise<RefreshDone | undefined> {
    const { ledger, leases, now } = this.#options;
    const lease = await leases.acquire(area.key, LEASE_MS, now());
    if (!lease) return undefined;
    const budget = new Budget(ledger, spending, expected);
    try {
      const refresh = await this.#read(area, budget, lease, onRecords);
      return { ...refresh, requests: budget.attempts };
    } finally {
      await budget.close().finally(() => leases.release(lease));
    }
  }

  async #read(area: Area, budget: Budget, lease: Lease, onRecords: () => void): Promise<Refresh> {
    const { client, snapshots } = this.#options;
    const before = (await snapshots.intersecting(area.layer, area.bbox)).find(({ area: { key } }) => key === area.key);
    const store = async (read: PagesRead, incomplete: LiveReason | undefined) => {
      await snapshots.put({ area, ...merged(before, read, incomplete) }, lease);
    };
    // A query that breaks the contract never leaves, and is as much a defect of ours as one that was rejected.
    const readPage = (query: LivePageQuery) => client.livePage(area.layer, query, budget).catch(() => REFUSED_BY_US);
    const pages = refreshArea(readPage, area.bbox);
    for (;;) {
      const { done, value } = await pages.next();
      if (done) {
        if (value.kind === 'complete') await store(value.read, undefined);
        if (value.kind === 'partial') await store(value.read, value.incomplete);
        return value;
      }
      // What is known whole is replaced as a whole: tracks of later pages would vanish, and come back with them.
      if (before && before.incomplete === undefined) continue;
      // What was broken off the last time stays that, with more in it, until all of it is here.
      const incomplete = before?.incomplete ?? 'pages_pending';
      await store({ ...value, positions: new Map(value.positions) }, incomplete);
      onRecords();
    }
  }
}

const REFUSED_BY_US: PageOutcome = { kind: 'blocked', cooldown: { kind: 'latched', reason: 'request_rejected' } };

/** What is not everything adds to what was read before, under the older age. */
function merged(before: AreaSnapshot | undefined, read: PagesRead, incomplete: LiveReason | undefined) {
  const { positions, fetchedAt, unreadable } = read;
  if (incomplete === undefined || !before) return { positions, fetchedAt, incomplete, unreadable };
  const together = new Map<string, Position>(before.positions);
  for (const [ref, position] of positions) together.set(ref, position);
  return { positions: together, fetchedAt: before.fetchedAt, incomplete, unreadable };
}
