import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Window } from '#lib/time/window.ts';
import type { ReferenceOf } from '../references/reference-cache.ts';
import type { Observation, Source } from '../sources/observation.ts';

interface HistoryEntry {
  readonly reference: string;
  readonly observation: Observation;
}

export interface HistoryWindow {
  /** In order of time, then of reference; at most `limit`. */
  readonly entries: readonly HistoryEntry[];
  /** The entries are not the complete recording of the layer in this box and window, or can't be known to be. */
  readonly truncated: boolean;
}

/**
 * Observations, of both layers together, that one request reads from a box and window. The source window is bounded before
 * it is filtered to the asked layer (History behaviour); the number is this service's own: twenty full pages.
 */
export const SOURCE_WINDOW_MAX = 20_000;

/**
 * Reads the window's first SOURCE_WINDOW_MAX observations of both layers in order of time and keeps those of `layer`. So a
 * window that another layer fills can be truncated with few records, or with none.
 */
export function readHistoryWindow(
  source: Source,
  referenceOf: ReferenceOf,
  query: { readonly layer: Layer; readonly bbox: Bbox; readonly window: Window; readonly limit: number },
  sourceWindowMax = SOURCE_WINDOW_MAX,
): HistoryWindow {
  const read = (layer: Layer) => source.history(layer, query.bbox, query.window, sourceWindowMax);
  const asked = read(query.layer);
  const others = LAYERS.filter((layer) => layer !== query.layer).map(read);
  const overfull =
    asked.more ||
    others.some(({ more }) => more) ||
    asked.observations.length + others.reduce((sum, { observations }) => sum + observations.length, 0) >
      sourceWindowMax;
  const inReach = overfull
    ? keepFirst(
        asked.observations,
        others.flatMap(({ observations }) => observations),
        sourceWindowMax,
      )
    : asked.observations;
  return {
    entries: firstEntries(inReach, query.limit, referenceOf),
    truncated: overfull || inReach.length > query.limit,
  };
}

/** The part of `asked` among the first `count` of both lists by time; both are sorted, and `asked` goes first at a tie. */
function keepFirst(asked: readonly Observation[], others: readonly Observation[], count: number): Observation[] {
  const kept: Observation[] = [];
  let other = 0;
  for (const observation of asked) {
    while (other < others.length && others[other]!.observedAt < observation.observedAt) other += 1;
    if (kept.length + other >= count) break;
    kept.push(observation);
  }
  return kept;
}

function firstEntries(sortedByTime: readonly Observation[], limit: number, referenceOf: ReferenceOf): HistoryEntry[] {
  // All observations of the last instant in reach are sorted before the cut: which of them are kept depends on the
  // reference alone, and not on the order in which the source gave them.
  const lastTime = sortedByTime[Math.min(limit, sortedByTime.length) - 1]?.observedAt;
  const entries: HistoryEntry[] = [];
  for (const observation of sortedByTime) {
    if (lastTime === undefined || observation.observedAt > lastTime) break;
    entries.push({
      reference: referenceOf(observation.sourceId, observation.layer, observation.observedAt),
      observation,
    });
  }
  entries.sort(
    (a, b) =>
      a.observation.observedAt - b.observation.observedAt ||
      (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0),
  );
  return entries.slice(0, limit);
}
