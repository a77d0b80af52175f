import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { counts } from '../allowance/counts.ts';
import type { Ledger, Spending } from '../allowance/ledger.ts';
import { Budget, type Cause } from '../upstream/budget.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import type { PageOutcome } from '../upstream/page-outcome.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { LivePageQuery } from '../upstream/upstream-request.ts';
import type { AreaReads } from './area-reads.ts';
import { type AreaSnapshot, keepNewest, type LiveArea, type Snapshots } from './snapshots.ts';

/** Far beyond any real area: a cursor that goes on for longer is endless. */
const MAX_PAGES = 50;
const REFUSED_BY_US: PageOutcome = { kind: 'blocked', cooldown: { kind: 'latched', reason: 'request_rejected' } };

export interface AreaRefresherOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly snapshots: Snapshots;
  readonly reads: AreaReads;
}

type RefreshDone = Refresh & { readonly requests: number; readonly sentAt: UpstreamInstant | undefined };

/** Reads areas from the upstream, page by page, into the snapshots. Each refresh has a budget of its own. */
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
    area: LiveArea,
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

  async #read(area: LiveArea, budget: Budget, onRecords: () => void): Promise<Refresh> {
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
      // A complete snapshot stays until all pages are read: otherwise, tracks of later pages would vanish and come
      // back.
      if (before && before.incomplete === undefined) continue;
      const incomplete = before?.incomplete ?? 'pages_pending';
      store({ ...value, positions: new Map(value.positions) }, incomplete);
      onRecords();
    }
  }
}

/** An incomplete read adds to the records before, and keeps their age. */
function merged(before: AreaSnapshot | undefined, read: PagesRead, incomplete: LiveReason | undefined) {
  const { positions, fetchedAt, unreadable, reception } = read;
  const newest = { readAt: fetchedAt, incomplete, unreadable, reception };
  if (incomplete === undefined || !before) return { positions, fetchedAt, ...newest };
  const together = new Map<string, Position>(before.positions);
  for (const [ref, position] of positions) together.set(ref, position);
  return { positions: together, fetchedAt: before.fetchedAt, ...newest };
}

/** The content of one page or more. */
export interface PagesRead {
  /** The newest record of each reference. */
  readonly positions: ReadonlyMap<string, Position>;
  /** generated_at of the first page. */
  readonly fetchedAt: UpstreamInstant;
  /** Number of records that were dropped, because they broke the contract. */
  readonly unreadable: number;
  readonly pages: number;
  /** The reception of the first page; `undefined` where the upstream reports none. */
  readonly reception?: Reception | undefined;
}

export type Refresh =
  | { readonly kind: 'complete'; readonly read: PagesRead }
  | {
      readonly kind: 'partial';
      readonly read: PagesRead;
      readonly incomplete: LiveReason;
      readonly cooldown: Cooldown | undefined;
    }
  | { readonly kind: 'unread'; readonly cooldown: Cooldown };

/**
 * Follows the paging rule for live mode (States and transitions). A rejected cursor restarts once. Yields one growing
 * map after each page but the last.
 */
export async function* refreshArea(
  readPage: (query: LivePageQuery) => Promise<PageOutcome>,
  bbox: Bbox,
): AsyncGenerator<PagesRead, Refresh, undefined> {
  const positions = new Map<string, Position>();
  const cursorsSeen = new Set<string>();
  let read: PagesRead | undefined;
  let cursor: string | undefined;
  let isRestarted = false;
  const interrupted = (incomplete: LiveReason, cooldown?: Cooldown): Refresh =>
    read
      ? { kind: 'partial', read, incomplete, cooldown }
      : { kind: 'unread', cooldown: cooldown ?? { kind: 'latched', reason: 'request_rejected' } };

  for (let requests = 0; requests < MAX_PAGES; requests++) {
    const outcome: PageOutcome = await readPage({ bbox, limit: LIMIT_MAX, cursor });
    switch (outcome.kind) {
      case 'blocked':
        return interrupted('pages_interrupted', outcome.cooldown);
      case 'cursor-refused':
        if (isRestarted) return interrupted('pages_interrupted');
        isRestarted = true;
        cursor = undefined;
        cursorsSeen.clear();
        continue;
      case 'page':
        break;
    }
    const { page } = outcome;
    for (const position of page.positions) keepNewest(positions, position);
    read = {
      positions,
      fetchedAt: read?.fetchedAt ?? page.generatedAt,
      unreadable: (read?.unreadable ?? 0) + page.unreadable,
      pages: (read?.pages ?? 0) + 1,
      reception: read ? read.reception : page.reception,
    };
    if (page.nextCursor === undefined) {
      return page.cursorUnusable ? interrupted('pages_interrupted') : { kind: 'complete', read };
    }
    if (cursorsSeen.has(page.nextCursor)) return interrupted('pages_endless');
    cursorsSeen.add(page.nextCursor);
    cursor = page.nextCursor;
    yield read;
  }
  return interrupted('pages_endless');
}
