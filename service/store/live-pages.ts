import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { layerLetter, type ReferenceOf } from '../references/public-reference.ts';
import { type Observation, type Source, ttlMs } from '../sources/observation.ts';

export interface PagedQuery {
  readonly accountId: string;
  readonly layer: Layer;
  readonly bbox: Bbox;
  readonly limit: number;
}

export interface LiveEntry {
  readonly reference: string;
  readonly observation: Observation;
  /** At this instant the entry is no longer served. */
  readonly staleAfter: UpstreamInstant;
}

interface AnsweredPage {
  readonly entries: readonly LiveEntry[];
  readonly nextCursor: string | null;
}

/**
 * Pages of the live picture of a box, each at most `limit` entries. Over all pages of a query, a track that lives
 * throughout comes exactly once, whatever arrives or expires meanwhile. It never keeps positions longer than
 * `CACHE_MS`.
 * @returns a function that gives a page, or `undefined` if the cursor is unknown, expired or of another query
 */
export function makeLivePages(
  source: Source,
  referenceOf: ReferenceOf,
  cursors: Cursors,
): (query: PagedQuery, cursor: string | undefined, now: UpstreamInstant) => AnsweredPage | undefined {
  const snapshotOf = makeLiveSnapshots(source, referenceOf);
  return (query, cursor, now) => {
    const after = cursor === undefined ? undefined : cursors.resolve(cursor, query, now);
    if (cursor !== undefined && after === undefined) return undefined;
    const { entries, nextAfter } = livePage(snapshotOf(query.layer, query.bbox, now), after, query.limit, now);
    return { entries, nextCursor: nextAfter === undefined ? null : cursors.issue(query, nextAfter, now) };
  };
}

/** Sorting 20,000 tracks costs more than a page, and aircraft report less often than four times a second. */
const CACHE_MS = 250;
const SNAPSHOTS_MAX = 32;

/** Snapshots in ascending order of reference. Some entries may have expired meanwhile. */
function makeLiveSnapshots(source: Source, referenceOf: ReferenceOf) {
  const snapshotOf = new Map<string, { readonly at: UpstreamInstant; readonly entries: readonly LiveEntry[] }>();

  return (layer: Layer, bbox: Bbox, now: UpstreamInstant): readonly LiveEntry[] => {
    const key = `${layer} ${bbox.west} ${bbox.south} ${bbox.east} ${bbox.north}`;
    const cached = snapshotOf.get(key);
    if (cached && now >= cached.at && now < addMs(cached.at, CACHE_MS)) return cached.entries;
    const entries = source
      .live(layer, bbox, now)
      .map((observation) => ({
        // The observation's own time gives live and history the same reference.
        reference: referenceOf(observation.sourceId, layer, observation.observedAt),
        observation,
        staleAfter: addMs(observation.observedAt, ttlMs(layer)),
      }))
      .sort((a, b) => (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0));
    snapshotOf.delete(key);
    snapshotOf.set(key, { at: now, entries });
    for (const oldest of snapshotOf.keys()) {
      if (snapshotOf.size <= SNAPSHOTS_MAX) break;
      snapshotOf.delete(oldest);
    }
    return entries;
  };
}

/**
 * The page continues after a reference, so records that arrive or expire between pages push none out.
 * @returns `nextAfter` is `undefined` on the last page
 */
export function livePage(
  sorted: readonly LiveEntry[],
  after: string | undefined,
  limit: number,
  now: UpstreamInstant,
): { readonly entries: readonly LiveEntry[]; readonly nextAfter: string | undefined } {
  const entries: LiveEntry[] = [];
  for (let index = after === undefined ? 0 : firstAfter(sorted, after); index < sorted.length; index += 1) {
    const entry = sorted[index]!;
    if (now >= entry.staleAfter) continue;
    if (entries.length === limit) return { entries, nextAfter: entries[limit - 1]!.reference };
    entries.push(entry);
  }
  return { entries, nextAfter: undefined };
}

function firstAfter(sorted: readonly LiveEntry[], reference: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]!.reference <= reference) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Cursors {
  issue(query: PagedQuery, after: string, now: UpstreamInstant): string;
  /** `undefined` if the cursor is unknown, expired or of another query. */
  resolve(cursor: string, query: PagedQuery, now: UpstreamInstant): string | undefined;
}

/** After a longer pause, a client should request the first page again. */
const CURSOR_TTL_MS = 5 * MINUTE_MS;

/** Cursors are reusable until they expire, so that a lost page can be requested again. */
export function makeCursors(
  settings: { readonly prefix: string; readonly randomBytes: (size: number) => Uint8Array },
  capacity = 50_000,
): Cursors {
  const issued = new Map<
    string,
    { readonly query: string; readonly after: string; readonly expiresAt: UpstreamInstant }
  >();

  return {
    issue(query, after, now) {
      const handle = Buffer.from(settings.randomBytes(8)).toString('hex').toUpperCase();
      const cursor = `${settings.prefix}-${layerLetter(query.layer)}-${handle}`;
      issued.set(cursor, { query: identityOf(query), after, expiresAt: addMs(now, CURSOR_TTL_MS) });
      for (const [oldest, { expiresAt }] of issued) {
        if (issued.size <= capacity && now < expiresAt) break;
        issued.delete(oldest);
      }
      return cursor;
    },
    resolve(cursor, query, now) {
      const known = issued.get(cursor);
      return known && now < known.expiresAt && known.query === identityOf(query) ? known.after : undefined;
    },
  };
}

function identityOf({ accountId, layer, bbox, limit }: PagedQuery): string {
  return JSON.stringify([accountId, layer, bbox.west, bbox.south, bbox.east, bbox.north, limit]);
}
