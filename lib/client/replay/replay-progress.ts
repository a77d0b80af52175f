import { type EndLine, MINUTE_LETTERS, type MinuteLetter, type ProgressLine } from '#lib/api/history-line.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { instantFromMs, parseInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { MinuteState, ReplayGap, ReplayLayer, ReplayLoading } from './replay-summary.ts';

const MINUTE_MS = 60_000;

/** How far the loading of a layer is. */
export type LayerLoadProgress = Omit<
  ReplayLayer,
  'layer' | 'on' | 'shownForMs' | 'histogram' | 'observations' | 'unreadable'
>;

const NOTHING_ASKED: LayerLoadProgress = {
  minutes: [],
  partsDone: 0,
  partsKnown: 0,
  requestsMade: 0,
  requestsExpected: 0,
  gaps: [],
};

export function emptyProgress(): Record<Layer, LayerLoadProgress> {
  return { rid: NOTHING_ASKED, adsb: NOTHING_ASKED };
}

type Progress = Readonly<Record<Layer, LayerLoadProgress>>;

export function progressFromLine(before: Progress, { layers }: ProgressLine): Progress {
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

export function loadingFromLine({ held }: ProgressLine): ReplayLoading {
  if (!held) return { kind: 'loading' };
  return { kind: 'held', reason: held.reason, until: held.until === null ? undefined : parseInstant(held.until) };
}

export function progressAtEnd(before: Progress, { layers }: EndLine): Progress {
  const after = { ...before };
  for (const layer of LAYERS) {
    const told = layers[layer];
    if (!told) continue;
    after[layer] = {
      ...before[layer],
      requestsMade: told.requests,
      requestsExpected: 0,
      gaps: told.gaps.map(({ bbox: [west, south, east, north], start, end, reason }) => ({
        bbox: { west, south, east, north },
        start: instantFromMs(Date.parse(start)),
        end: instantFromMs(Date.parse(end)),
        reason,
      })),
    };
  }
  return after;
}

/** What was loading when a load was stopped comes no more. */
export function progressStopped(before: Progress): Progress {
  const stopped = ({ minutes, ...rest }: LayerLoadProgress): LayerLoadProgress => ({
    ...rest,
    minutes: minutes.map((state) => (state === 'loading' ? 'not-asked' : state)),
  });
  return { rid: stopped(before.rid), adsb: stopped(before.adsb) };
}

/** With more gaps than the server knows of; their minutes are known in part only. */
export function withGaps(
  before: LayerLoadProgress,
  gaps: readonly ReplayGap[],
  window: Window | undefined,
): LayerLoadProgress {
  if (gaps.length === 0 || !window) return before;
  const minutes = before.minutes.map((state, minute): MinuteState => {
    const start = window.start + minute * MINUTE_MS;
    const isCut = gaps.some((gap) => gap.start < start + MINUTE_MS && gap.end > start);
    return isCut && state === 'complete' ? 'truncated' : state;
  });
  return { ...before, minutes, gaps: [...before.gaps, ...gaps] };
}
