import {
  type EndLine,
  type LayerEnd,
  MINUTE_LETTERS,
  type MinuteLetter,
  type ProgressLine,
} from '#lib/api/history-line.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, instantOf, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { LoadTerms, MinuteState, ReplayGap, ReplayLayer, ReplayLoading } from './replay-summary.ts';

/** Minutes include the lead-in's, first. */
export type LayerLoadProgress = Omit<
  ReplayLayer,
  'layer' | 'on' | 'shownForMs' | 'histogram' | 'observations' | 'leadIn'
> & {
  /** The part of `requestsMade` by earlier tries that were broken off. */
  readonly requestsBefore: number;
};

const NOTHING_ASKED: LayerLoadProgress = {
  minutes: [],
  partsDone: 0,
  partsKnown: 0,
  requestsBefore: 0,
  requestsMade: 0,
  requestsExpected: 0,
  gaps: [],
  reception: [],
  unreadable: 0,
};

export type LoadProgress = Readonly<Record<Layer, LayerLoadProgress>>;

export function emptyProgress(): LoadProgress {
  return { rid: NOTHING_ASKED, adsb: NOTHING_ASKED };
}

/**
 * Minutes and gaps stay until reported again.
 * @param isRetry whether it is another try of the same load
 */
export function progressAtStart({ rid, adsb }: LoadProgress, isRetry: boolean): LoadProgress {
  const started = (layer: LayerLoadProgress): LayerLoadProgress => ({
    ...layer,
    unreadable: 0,
    requestsBefore: isRetry ? layer.requestsMade : 0,
  });
  return { rid: started(rid), adsb: started(adsb) };
}

export function progressFromLine(before: LoadProgress, { layers }: ProgressLine): LoadProgress {
  return withReported(before, layers, (reported, requestsBefore) => ({
    minutes: Array.from(reported.minutes, (letter): MinuteState => MINUTE_LETTERS[letter as MinuteLetter]),
    partsDone: reported.parts_done,
    partsKnown: reported.parts_known,
    requestsMade: requestsBefore + reported.requests_made,
    requestsExpected: reported.requests_expected,
  }));
}

export function loadingFromLine({ paused }: ProgressLine, terms: LoadTerms): ReplayLoading {
  if (!paused) return { kind: 'loading', terms };
  const until = paused.until === null ? undefined : parseInstant(paused.until);
  return { kind: 'paused', terms, reason: paused.reason, until };
}

export function progressAtEnd(before: LoadProgress, { layers }: EndLine): LoadProgress {
  return withReported(before, layers, (reported, requestsBefore) => ({
    requestsMade: requestsBefore + reported.requests,
    requestsExpected: 0,
    gaps: reported.gaps.map(replayGap),
    reception: (reported.reception ?? []).map(replayGap),
  }));
}

function replayGap({ bbox, start, end, reason }: LayerEnd['gaps'][number]): ReplayGap {
  return { bbox: boxFromCorners(bbox), start: instantOf(start), end: instantOf(end), reason };
}

/** @param progressOf the changes by one layer's report */
function withReported<Report>(
  before: LoadProgress,
  layers: Readonly<Partial<Record<Layer, Report>>>,
  progressOf: (reported: Report, requestsBefore: number) => Partial<LayerLoadProgress>,
): LoadProgress {
  const after = { ...before };
  for (const layer of LAYERS) {
    const reported = layers[layer];
    if (reported) after[layer] = { ...before[layer], ...progressOf(reported, before[layer].requestsBefore) };
  }
  return after;
}

export function progressStopped(before: LoadProgress): LoadProgress {
  const stopped = ({ minutes, ...rest }: LayerLoadProgress): LayerLoadProgress => ({
    ...rest,
    minutes: minutes.map((state) => (state === 'loading' ? 'not-requested' : state)),
  });
  return { rid: stopped(before.rid), adsb: stopped(before.adsb) };
}

/** Adds gaps that the server does not know of; their complete minutes become truncated. */
export function withGaps(before: LayerLoadProgress, gaps: readonly ReplayGap[], window: Window): LayerLoadProgress {
  if (gaps.length === 0) return before;
  const minutes = before.minutes.map((state, minute): MinuteState => {
    const start = addMs(window.start, minute * MINUTE_MS);
    const isCut = gaps.some((gap) => gap.start < addMs(start, MINUTE_MS) && gap.end > start);
    return isCut && state === 'complete' ? 'truncated' : state;
  });
  return { ...before, minutes, gaps: [...before.gaps, ...gaps] };
}
