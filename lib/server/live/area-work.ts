import 'server-only';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { addMs, type Instant } from '#lib/time/instant.ts';
import type { Spending } from '../ports/ledger.ts';
import type { Area } from '../ports/snapshots.ts';
import type { Block } from '../upstream/standing.ts';

/** A snapshot that was not replaced for so many intervals is called stale. */
export const STALE_INTERVALS = 2.5;

interface AreaFailure {
  readonly block: Block;
  /** On the upstream's clock. */
  readonly since: Instant;
  /** True where no request was made: the area is as due as it was before. */
  readonly unasked: boolean;
}

/** One area of the plan, and how it stands. Instants are on our own clock where nothing else is said. */
export interface AreaWork {
  readonly area: Area;
  viewers: number;
  /** Requests that a refresh takes: as the last one did, or as expected. */
  cost: number;
  intervalMs: number;
  /** Spreads the refreshes of areas that began together; drawn anew for each. */
  jitter: number;
  /** The latest refresh; for an area that other snapshots still cover, when those were read. */
  startedAt: Instant | undefined;
  /** What its next refresh is for. */
  spending: Spending;
  refreshing: Promise<void> | undefined;
  /** Why the latest refresh failed, and since when none has succeeded. */
  failure: AreaFailure | undefined;
}

/** When it is refreshed next, if the allowance permits. */
export function dueAt(work: AreaWork, now: Instant): Instant {
  if (work.startedAt === undefined) return now;
  const regular = addMs(work.startedAt, work.intervalMs * work.jitter);
  const { block, unasked } = work.failure ?? {};
  if (block?.until === undefined) return regular;
  return unasked || block.until > regular ? block.until : regular;
}

/** How old a picture of the area may be before it is called stale. */
export function staleAfterMs(work: AreaWork): number {
  return Math.min(FRESH_MAX_MS, STALE_INTERVALS * work.intervalMs);
}
