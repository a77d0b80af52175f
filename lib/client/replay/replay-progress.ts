import { type EndLine, MINUTE_LETTERS, type MinuteLetter, type ProgressLine } from '#lib/api/history-line.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, instantOf, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { LoadTerms, MinuteState, ReplayGap, ReplayLayer, ReplayLoading } from './replay-summary.ts';

/** How far the loading of a layer is. */
export type LayerLoadProgress = Omit<ReplayLayer, 'layer' | 'on' | 'shownForMs' | 'histogram' | 'observations'>;

const NOTHING_ASKED: LayerLoadProgress = {
  minutes: [],
  partsDone: 0,
  partsKnown: 0,
  requestsMade: 0,
  requestsExpected: 0,
  gaps: [],
  unreadable: 0,
};

export type LoadProgress = Readonly<Record<Layer, LayerLoadProgress>>;

export function emptyProgress(): LoadProgress {
  return { rid: NOTHING_ASKED, adsb: NOTHING_ASKED };
}

/** Unreadable records are those of the latest load; minutes and gaps stand until they are reported anew. */
export function progressAtStart({ rid, adsb }: LoadProgress): LoadProgress {
  return { rid: { ...rid, unreadable: 0 }, adsb: { ...adsb, unreadable: 0 } };
}

export function progressFromLine(before: LoadProgress, { layers }: ProgressLine): LoadProgress {
  const after = { ...before };
  for (const layer of LAYERS) {
    const told = layers[layer];
    if (!told) continue;
    after[layer] = {
      ...before[layer],
      minutes: Array.from(told.minutes, (letter): MinuteState => MINUTE_LETTERS[letter as MinuteLetter]),
      partsDone: told.parts_done,
      partsKnown: told.parts_known,
      requestsMade: told.requests_made,
      requestsExpected: told.requests_expected,
    };
  }
  return after;
}

export function loadingFromLine({ held }: ProgressLine, terms: LoadTerms): ReplayLoading {
  if (!held) return { kind: 'loading', terms };
  const until = held.until === null ? undefined : parseInstant(held.until);
  return { kind: 'paused', terms, reason: held.reason, until };
}

export function progressAtEnd(before: LoadProgress, { layers }: EndLine): LoadProgress {
  const after = { ...before };
  for (const layer of LAYERS) {
    const told = layers[layer];
    if (!told) continue;
    after[layer] = {
      ...before[layer],
      requestsMade: told.requests,
      requestsExpected: 0,
      gaps: told.gaps.map(({ bbox, start, end, reason }) => ({
        bbox: boxFromCorners(bbox),
        start: instantOf(start),
        end: instantOf(end),
        reason,
      })),
    };
  }
  return after;
}

/** What was loading when a load was stopped comes no more. */
export function progressStopped(before: LoadProgress): LoadProgress {
  const stopped = ({ minutes, ...rest }: LayerLoadProgress): LayerLoadProgress => ({
    ...rest,
    minutes: minutes.map((state) => (state === 'loading' ? 'not-asked' : state)),
  });
  return { rid: stopped(before.rid), adsb: stopped(before.adsb) };
}

/** With more gaps than the server knows of; their minutes are known in part only. */
export function withGaps(before: LayerLoadProgress, gaps: readonly ReplayGap[], window: Window): LayerLoadProgress {
  if (gaps.length === 0) return before;
  const minutes = before.minutes.map((state, minute): MinuteState => {
    const start = addMs(window.start, minute * MINUTE_MS);
    const isCut = gaps.some((gap) => gap.start < addMs(start, MINUTE_MS) && gap.end > start);
    return isCut && state === 'complete' ? 'truncated' : state;
  });
  return { ...before, minutes, gaps: [...before.gaps, ...gaps] };
}
