import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Position } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import type { PageOutcome } from '../upstream/page-outcome.ts';
import type { LivePageQuery } from '../upstream/upstream-request.ts';

/** Limit for endless cursors: 50 pages of 1000 are far beyond any real area. */
const MAX_PAGES = 50;

/** The pages read of an area, at least one. */
export interface PagesRead {
  /** The newest record of each reference. */
  readonly positions: ReadonlyMap<string, Position>;
  /** generated_at of the first page. */
  readonly fetchedAt: UpstreamInstant;
  /** Records that broke the contract and were dropped. */
  readonly unreadable: number;
  readonly pages: number;
}

/** How a refresh of an area ended. */
export type Refresh =
  | { readonly kind: 'complete'; readonly read: PagesRead }
  /** `incomplete`: why it is not everything the service had. `cooldown`: what stopped it, if anything did. */
  | {
      readonly kind: 'partial';
      readonly read: PagesRead;
      readonly incomplete: LiveReason;
      readonly cooldown: Cooldown | undefined;
    }
  | { readonly kind: 'unread'; readonly cooldown: Cooldown };

/**
 * Reads every page of an area (States and transitions: paging rule for live mode) and de-duplicates by reference, keeping the
 * newest observation. A rejected cursor restarts the refresh once; what was read is kept.
 * Yields what it has after each page but the last; `positions` is one map that grows with each page.
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

export function keepNewest(positions: Map<string, Position>, position: Position): void {
  const known = positions.get(position.ref);
  if (!known || position.observedAt >= known.observedAt) positions.set(position.ref, position);
}
