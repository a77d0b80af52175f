import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { Position } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { counts } from '../allowance/counts.ts';
import type { Ledger, Spending } from '../allowance/ledger.ts';
import { Budget, type Cause } from '../upstream/budget.ts';
import type { PageOutcome } from '../upstream/page-outcome.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { LivePageQuery } from '../upstream/upstream-request.ts';
import type { AreaReads } from './area-reads.ts';
import { type PagesRead, type Refresh, refreshArea } from './refresh-area.ts';
import type { Area, AreaSnapshot, Snapshots } from './snapshots.ts';

export interface AreaRefresherOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly snapshots: Snapshots;
  readonly reads: AreaReads;
}

export type RefreshDone = Refresh & { readonly requests: number; readonly sentAt: UpstreamInstant | undefined };

export class AreaRefresher {
  readonly #options: AreaRefresherOptions;

  constructor(options: AreaRefresherOptions) {
    this.#options = options;
  }

  /**
   * @param expected probable number of requests
   * @param onRecords called when viewers can see records and more are to come
   */
  async refresh(
    area: Area,
    spending: Spending,
    expected: number,
    onRecords: () => void,
    cause: Cause,
  ): Promise<RefreshDone> {
    const budget = new Budget(this.#options.ledger, spending, expected, undefined, cause);
    try {
      const refresh = await this.#read(area, budget, onRecords);
      counts().refreshes[refresh.kind]++;
      return { ...refresh, requests: budget.attempts, sentAt: budget.firstSentAt };
    } finally {
      await budget.close();
    }
  }

  async #read(area: Area, budget: Budget, onRecords: () => void): Promise<Refresh> {
    const { client, snapshots, reads } = this.#options;
    const before = snapshots.of(area);
    const store = (read: PagesRead, incomplete: LiveReason | undefined) => {
      snapshots.put({ area, ...merged(before, read, incomplete) });
      const { positions, fetchedAt: readAt, reception } = read;
      reads.publish({ kind: 'read', area, positions, readAt, isComplete: incomplete === undefined, reception });
    };
    // A query that breaks the contract is our own defect, like a rejected one.
    const readPage = (query: LivePageQuery) => client.livePage(area.layer, query, budget).catch(() => REFUSED_BY_US);
    const pages = refreshArea(readPage, area.bbox);
    for (;;) {
      const { done, value } = await pages.next();
      if (done) {
        if (value.kind === 'complete') store(value.read, undefined);
        if (value.kind === 'partial') store(value.read, value.incomplete);
        return value;
      }
      // Otherwise tracks of later pages would vanish and come back.
      if (before && before.incomplete === undefined) continue;
      const incomplete = before?.incomplete ?? 'pages_pending';
      store({ ...value, positions: new Map(value.positions) }, incomplete);
      onRecords();
    }
  }
}

const REFUSED_BY_US: PageOutcome = { kind: 'blocked', cooldown: { kind: 'latched', reason: 'request_rejected' } };

/** Keeps the older age. */
function merged(before: AreaSnapshot | undefined, read: PagesRead, incomplete: LiveReason | undefined) {
  const { positions, fetchedAt, unreadable, reception } = read;
  const newest = { readAt: fetchedAt, incomplete, unreadable, reception };
  if (incomplete === undefined || !before) return { positions, fetchedAt, ...newest };
  const together = new Map<string, Position>(before.positions);
  for (const [ref, position] of positions) together.set(ref, position);
  return { positions: together, fetchedAt: before.fetchedAt, ...newest };
}
