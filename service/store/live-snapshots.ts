import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { ReferenceOf } from '../references/reference-cache.ts';
import { type Observation, type Source, ttlMs } from '../sources/observation.ts';

export interface LiveEntry {
  readonly reference: string;
  readonly observation: Observation;
  /** Exclusive. */
  readonly staleAfter: UpstreamInstant;
}

/** In ascending order of reference. Some may have expired meanwhile. */
export type LiveSnapshots = (layer: Layer, bbox: Bbox, now: UpstreamInstant) => readonly LiveEntry[];

/** Sorting 20,000 tracks costs more than a page, and aircraft report less often than four times a second. */
const CACHE_MS = 250;

const CAPACITY = 32;

export function makeLiveSnapshots(source: Source, referenceOf: ReferenceOf): LiveSnapshots {
  const snapshotOf = new Map<string, { readonly at: UpstreamInstant; readonly entries: readonly LiveEntry[] }>();

  return (layer, bbox, now) => {
    const key = `${layer} ${bbox.west} ${bbox.south} ${bbox.east} ${bbox.north}`;
    const cached = snapshotOf.get(key);
    if (cached && now >= cached.at && now < addMs(cached.at, CACHE_MS)) return cached.entries;
    const entries = sortByReference(
      source.live(layer, bbox, now).map((observation) => ({
        // The observation's own time gives live and history the same reference.
        reference: referenceOf(observation.sourceId, layer, observation.observedAt),
        observation,
        staleAfter: addMs(observation.observedAt, ttlMs(layer)),
      })),
    );
    snapshotOf.delete(key);
    snapshotOf.set(key, { at: now, entries });
    for (const oldest of snapshotOf.keys()) {
      if (snapshotOf.size <= CAPACITY) break;
      snapshotOf.delete(oldest);
    }
    return entries;
  };
}

function sortByReference(entries: LiveEntry[]): LiveEntry[] {
  return entries.sort((a, b) => (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0));
}
