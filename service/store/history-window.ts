import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { ReferenceOf } from '../references/reference-cache.ts';
import { historyTimes } from '../sources/history-times.ts';
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

export interface HistoryRead {
  readonly layer: Layer;
  readonly bbox: Bbox;
  readonly window: Window;
  readonly limit: number;
}

/**
 * Observations, of both layers together, that one request reads from a box and window. The source window is bounded before
 * it is filtered to the asked layer (History behaviour); the number is this service's own: twenty full pages.
 */
export const SOURCE_WINDOW_MAX = 20_000;

/**
 * What the window's first SOURCE_WINDOW_MAX observations of both layers in order of time hold of `layer`: so a window that
 * another layer fills can be truncated with few records, or with none. Of the asked layer no more is read than is given,
 * and of the other one only times: the answer is that of reading all and filtering it.
 */
export function readHistoryWindow(
  source: Source,
  referenceOf: ReferenceOf,
  question: HistoryRead,
  sourceWindowMax = SOURCE_WINDOW_MAX,
): HistoryWindow {
  const { layer, bbox, window, limit } = question;
  const { asked, isCut } = readAsked(source, question, sourceWindowMax);
  // At equal times the asked layer goes first, so that nothing of the other one from its last time on decides about it.
  const end = isCut ? asked.at(-1)!.observedAt : window.end;
  const otherLayer: Layer = layer === 'adsb' ? 'rid' : 'adsb';
  const others =
    end > window.start ? historyTimes(source, otherLayer, bbox, { start: window.start, end }, sourceWindowMax + 1) : [];
  return {
    entries: firstEntries(keepFirst(asked, others, sourceWindowMax), limit, referenceOf),
    truncated: isCut || asked.length + others.length > sourceWindowMax,
  };
}

/**
 * The asked layer's observations by time: all of them, or where there are more than can be given (`isCut`) those up to and
 * with the time of the last that can, because which of one instant's are given is not the source's choice.
 */
function readAsked(source: Source, { layer, bbox, window, limit }: HistoryRead, sourceWindowMax: number) {
  const most = Math.min(limit, sourceWindowMax);
  const { observations } = source.history(layer, bbox, window, most + 1);
  const next = observations[most];
  if (next === undefined) return { asked: observations, isCut: false };
  const last = observations[most - 1]!.observedAt;
  if (next.observedAt > last) return { asked: observations.slice(0, most), isCut: true };
  const atLast = source.history(layer, bbox, { start: last, end: addMs(last, 1) }, sourceWindowMax).observations;
  return { asked: [...observations.filter(({ observedAt }) => observedAt < last), ...atLast], isCut: true };
}

/** The part of `asked` among the first `count` of both lists by time; both are sorted, and `asked` goes first at a tie. */
function keepFirst(asked: readonly Observation[], others: readonly UpstreamInstant[], count: number): Observation[] {
  const kept: Observation[] = [];
  let other = 0;
  for (const observation of asked) {
    while (other < others.length && others[other]! < observation.observedAt) other += 1;
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
      compareInstants(a.observation.observedAt, b.observation.observedAt) ||
      (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0),
  );
  return entries.slice(0, limit);
}
