import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import type { PageOutcome } from '../upstream/page-outcome.ts';
import type { LivePageQuery } from '../upstream/upstream-request.ts';

/** Far beyond any real area: an endless cursor. */
const MAX_PAGES = 50;

/** At least one. */
export interface PagesRead {
  /** The newest record of each reference. */
  readonly positions: ReadonlyMap<string, Position>;
  /** generated_at of the first page. */
  readonly fetchedAt: UpstreamInstant;
  /** Dropped, because they broke the contract. */
  readonly unreadable: number;
  readonly pages: number;
  /** Of the first page; `undefined` where the upstream reports none. */
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

export function keepNewest(positions: Map<string, Position>, position: Position): void {
  const known = positions.get(position.ref);
  if (!known || position.observedAt >= known.observedAt) positions.set(position.ref, position);
}
