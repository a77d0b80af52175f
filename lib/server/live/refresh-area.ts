import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Position } from '#lib/model/position.ts';
import type { Instant } from '#lib/time/instant.ts';
import type { LivePageQuery } from '../upstream/question.ts';
import type { Block } from '../upstream/standing.ts';
import type { PageOutcome } from '../upstream/upstream-client.ts';

/** A cursor that never ends is ended here: 50 pages of 1000 are far beyond any real area. */
const PAGES_MOST = 50;

/** What one refresh of an area brought. */
export interface Refresh {
  /** The newest record of each reference that was read. */
  readonly positions: ReadonlyMap<string, Position>;
  /** generated_at of the first page that was read; `undefined` where none was. */
  readonly fetchedAt: Instant | undefined;
  readonly unreadable: number;
  /** Pages that were read. */
  readonly pages: number;
  /** Why it is not everything the service had; `undefined` for a complete refresh. */
  readonly incomplete: LiveReason | undefined;
  /** Where the refresh was stopped: by what. */
  readonly block: Block | undefined;
}

/**
 * Reads every page of an area (States and transitions: paging rule for live mode) and de-duplicates by reference, keeping the
 * newest observation. A cursor that is refused on the way restarts the refresh once; what was read is kept.
 */
export async function refreshArea(
  readPage: (query: LivePageQuery) => Promise<PageOutcome>,
  bbox: Bbox,
): Promise<Refresh> {
  const positions = new Map<string, Position>();
  const cursorsSeen = new Set<string>();
  let fetchedAt: Instant | undefined;
  let unreadable = 0;
  let cursor: string | undefined;
  let restarted = false;
  let pagesRead = 0;
  const end = (incomplete?: LiveReason, block?: Block): Refresh => ({
    positions,
    fetchedAt,
    unreadable,
    pages: pagesRead,
    incomplete,
    block,
  });

  for (let pages = 0; pages < PAGES_MOST; pages++) {
    const outcome: PageOutcome = await readPage({ bbox, limit: LIMIT_MAX, cursor });
    switch (outcome.kind) {
      case 'blocked':
        return end('pages_interrupted', outcome.block);
      case 'cursor-refused':
        if (restarted) return end('pages_interrupted');
        restarted = true;
        cursor = undefined;
        cursorsSeen.clear();
        continue;
      case 'page':
        break;
    }
    const { page } = outcome;
    pagesRead++;
    fetchedAt ??= page.generatedAt;
    unreadable += page.unreadable;
    for (const position of page.positions) keepNewest(positions, position);
    if (page.nextCursor === undefined) return end(page.cursorUnusable ? 'pages_interrupted' : undefined);
    if (cursorsSeen.has(page.nextCursor)) return end('pages_endless');
    cursorsSeen.add(page.nextCursor);
    cursor = page.nextCursor;
  }
  return end('pages_endless');
}

export function keepNewest(positions: Map<string, Position>, position: Position): void {
  const held = positions.get(position.ref);
  if (!held || position.observedAt >= held.observedAt) positions.set(position.ref, position);
}
