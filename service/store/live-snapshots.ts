import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { ReferenceOf } from '../references/reference-cache.ts';
import { type Observation, type Source, ttlMs } from '../sources/observation.ts';

export interface LiveEntry {
  readonly reference: string;
  readonly observation: Observation;
  /** Exclusive end of the projection's life. */
  readonly staleAfter: UpstreamInstant;
}

/** Entries of a box in ascending order of their reference, each reference once. Some may have expired since. */
export type LiveSnapshots = (layer: Layer, bbox: Bbox, now: UpstreamInstant) => readonly LiveEntry[];

/**
 * How long the sorted answer of a box is used again. Sorting 20,000 tracks costs more than a page does, and a quarter of a
 * second is less than the time between two reports of one aircraft. Times in the records stay those of the observations.
 */
const REUSED_FOR_MS = 250;

/** Boxes kept sorted at once; the one made first is forgotten. */
const CAPACITY = 32;

export function makeLiveSnapshots(source: Source, referenceOf: ReferenceOf): LiveSnapshots {
  const snapshotOf = new Map<string, { readonly at: UpstreamInstant; readonly entries: readonly LiveEntry[] }>();

  return (layer, bbox, now) => {
    const key = `${layer} ${bbox.west} ${bbox.south} ${bbox.east} ${bbox.north}`;
    const kept = snapshotOf.get(key);
    if (kept && now >= kept.at && now < addMs(kept.at, REUSED_FOR_MS)) return kept.entries;
    const entries = sortByReference(
      source.live(layer, bbox, now).map((observation) => ({
        // The observation's own time, so that a record has the same reference in live and in history.
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
