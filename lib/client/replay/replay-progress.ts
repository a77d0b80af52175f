import {
  type EndLine,
  type LayerEnd,
  MINUTE_LETTERS,
  type MinuteLetter,
  type ProgressLine,
} from '#lib/api/history-line.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, instantOf, msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import type { Playback } from './playback.ts';
import type { LoadTerms, MinuteState, ReplayGap, ReplayLayer, ReplayLoading } from './replay-summary.ts';

/**
 * The progress of a load, minute by minute, from the server's lines. The minutes of the lead-in come first.
 */
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

/**
 * The first minute from the cursor on that is still loading in some layer; the window's start without any requested
 * minute.
 */
export function readyUntil(
  { window, cursor }: Pick<Playback, 'window' | 'cursor'>,
  layers: ReadonlySet<Layer>,
  progress: Readonly<Record<Layer, Pick<LayerLoadProgress, 'minutes'>>>,
): UpstreamInstant {
  const first = Math.floor(msBetween(window.start, cursor) / MINUTE_MS);
  let ready: UpstreamInstant = window.end;
  const known = [...layers].filter((layer) => progress[layer].minutes.length > 0);
  if (known.length === 0) return window.start;
  for (const layer of known) {
    const { minutes } = progress[layer];
    const loading = minutes.indexOf('loading', first);
    if (loading < 0) continue;
    const at = addMs(window.start, loading * MINUTE_MS);
    if (at < ready) ready = at;
  }
  return ready;
}

/** −1 is the last minute of the lead-in; the window's end belongs to its last minute. */
export function minuteAt(window: Window, at: UpstreamInstant): number {
  const last = Math.ceil(windowLengthMs(window) / MINUTE_MS) - 1;
  return Math.min(last, Math.floor(msBetween(window.start, at) / MINUTE_MS));
}

const WORST_FIRST: readonly MinuteState[] = [
  'failed',
  'not-requested',
  'loading',
  'receivers_lost',
  'not_equipped',
  'truncated',
  'receivers_partly',
  'complete',
];

/** `undefined` where there is no minute. */
export function worstMinute(minutes: readonly MinuteState[]): MinuteState | undefined {
  return WORST_FIRST.find((state) => minutes.includes(state));
}
