import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { ReferenceOf } from '../references/public-reference.ts';
import { historyTimes, type Observation, type Source } from '../sources/observation.ts';

interface HistoryEntry {
  readonly reference: string;
  readonly observation: Observation;
}

export interface HistoryWindow {
  /** Ordered by time, then by reference; at most `limit`. */
  readonly entries: readonly HistoryEntry[];
  /** The entries may lack records of the layer in this box and window. */
  readonly truncated: boolean;
}

export interface HistoryRead {
  readonly layer: Layer;
  readonly bbox: Bbox;
  readonly window: Window;
  readonly limit: number;
}

/**
 * Observations of both layers, before the filter (History behaviour). The number is this service's own: twenty full
 * pages.
 */
export const SOURCE_WINDOW_MAX = 20_000;

/**
 * A window full of the other layer can be truncated with few records. Reads only times of the other layer, with the
 * result of a filter over everything.
 */
export async function readHistoryWindow(
  source: Source,
  referenceOf: ReferenceOf,
  request: HistoryRead,
  sourceWindowMax = SOURCE_WINDOW_MAX,
): Promise<HistoryWindow> {
  const { layer, bbox, window, limit } = request;
  const { observations, isCut, isWhole } = await readLayer(source, request, sourceWindowMax);
  // At equal times the requested layer comes first.
  const end = isCut ? observations.at(-1)!.observedAt : window.end;
  const otherLayer: Layer = layer === 'adsb' ? 'rid' : 'adsb';
  const others =
    end > window.start
      ? await historyTimes(source, otherLayer, bbox, { start: window.start, end }, sourceWindowMax + 1)
      : [];
  return {
    entries: firstEntries(keepFirst(observations, others, sourceWindowMax), limit, referenceOf),
    truncated: isCut || !isWhole || observations.length + others.length > sourceWindowMax,
  };
}

/**
 * If there are too many (`isCut`), it has all observations of the last instant: the source must not choose among them.
 */
async function readLayer(source: Source, { layer, bbox, window, limit }: HistoryRead, sourceWindowMax: number) {
  const maxCount = Math.min(limit, sourceWindowMax);
  const { observations, isWhole = true } = await source.history(layer, bbox, window, maxCount + 1);
  const next = observations[maxCount];
  if (next === undefined) return { observations, isCut: false, isWhole };
  const last = observations[maxCount - 1]!.observedAt;
  if (next.observedAt > last) return { observations: observations.slice(0, maxCount), isCut: true, isWhole };
  const atLast = await source.history(layer, bbox, { start: last, end: addMs(last, 1) }, sourceWindowMax);
  const before = observations.filter(({ observedAt }) => observedAt < last);
  return { observations: [...before, ...atLast.observations], isCut: true, isWhole };
}

/** Both lists are sorted by time; `observations` wins ties. */
function keepFirst(
  observations: readonly Observation[],
  others: readonly UpstreamInstant[],
  count: number,
): Observation[] {
  const kept: Observation[] = [];
  let other = 0;
  for (const observation of observations) {
    while (other < others.length && others[other]! < observation.observedAt) other += 1;
    if (kept.length + other >= count) break;
    kept.push(observation);
  }
  return kept;
}

function firstEntries(sortedByTime: readonly Observation[], limit: number, referenceOf: ReferenceOf): HistoryEntry[] {
  // The kept ones depend only on the reference, not on the source's order.
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
      compareInstants(a.observation.observedAt, b.observation.observedAt) ||
      (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0),
  );
  return entries.slice(0, limit);
}
