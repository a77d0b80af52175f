import 'server-only';
import type {
  EndLine,
  LayerEnd,
  LayerProgress,
  MinuteLetter,
  ProgressLine,
  QueuedLine,
} from '#lib/api/history-line.ts';
import { REASON_OF_RECEPTION } from '#lib/api/layer-reason.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { type ImpairedStretch, impairedOver, inWholeMinutes, worstOfMinutes } from '#lib/model/reception.ts';
import { formatInstant, msBetween } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { withinMs } from '../machine.ts';
import type { TimedCooldown } from '../upstream/cooldown.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { Place } from '../work/operator-queue.ts';
import { WORK } from '../work/work-table.ts';
import type { BoxLoad } from './box-load.ts';
import type { PartState, PartStatus } from './split/part.ts';

/** Proxies take a longer silence for a dead connection. */
export const REPEATED_AFTER_MS = 15_000;

/**
 * Stretches in an hour of a box; more are rounded to whole minutes. A browser reads lines of up to a megabyte: a day of two boxes
 * and two layers has at most 5,760 stretches of 150 bytes.
 */
const STRETCHES_MAX = 60;

const letterOf: Readonly<Record<PartStatus, MinuteLetter>> = {
  complete: 'c',
  incomplete: 't',
  waiting: 'l',
  loading: 'l',
  failed: 'f',
  'not-requested': 'n',
};

/** A minute with several states gets the first of these. */
const PRECEDENCE = 'fltnc';

/** Letters of minutes without reception. `hiddenBy`: what a later load can bring, and the stronger of two lacks. */
const IMPAIRED: Readonly<
  Record<ImpairedStretch['state'], { readonly letter: MinuteLetter; readonly hiddenBy: string }>
> = {
  lost: { letter: 'r', hiddenBy: 'fln' },
  none: { letter: 'e', hiddenBy: 'fln' },
  partly: { letter: 'p', hiddenBy: 'flnt' },
};

/** @throws the signal's reason, as soon as it is aborted */
export async function* queuedLines(
  load: Place,
  signal: AbortSignal,
): AsyncGenerator<{ readonly kind: 'line'; readonly line: QueuedLine }> {
  for (;;) {
    signal.throwIfAborted();
    const { rank, moved } = load;
    if (rank === undefined) return;
    yield { kind: 'line', line: { type: 'queued', rank, running: WORK.load.running } };
    await withinMs(moved, REPEATED_AFTER_MS, signal);
  }
}

/** @param paused `undefined` while the load proceeds */
export function progressLine(
  loads: readonly BoxLoad[],
  paused: TimedCooldown | undefined,
  clock: UpstreamClock,
): ProgressLine {
  const pause = paused && { reason: paused.reason, until: formatInstant(clock.fromLocal(paused.until)) };
  return { type: 'progress', layers: byLayer(loads, layerProgress), paused: pause ?? null };
}

export function endLine(loads: readonly BoxLoad[]): EndLine {
  return { type: 'end', layers: byLayer(loads, layerEnd) };
}

function byLayer<T>(loads: readonly BoxLoad[], of: (loads: readonly BoxLoad[]) => T): Partial<Record<Layer, T>> {
  const lines: Partial<Record<Layer, T>> = {};
  for (const layer of LAYERS) {
    const ofLayer = loads.filter(({ box }) => box.layer === layer);
    if (ofLayer.length > 0) lines[layer] = of(ofLayer);
  }
  return lines;
}

function layerProgress(loads: readonly BoxLoad[]): LayerProgress {
  const parts = loads.flatMap((load) => load.parts());
  return {
    parts_done: parts.filter(({ status }) => status === 'complete' || status === 'incomplete').length,
    parts_known: parts.length,
    requests_made: sum(loads, ({ requests }) => requests),
    requests_expected: sum(loads, (load) => load.requestsExpected()),
    minutes: minuteLetters(windowOf(loads), parts, impairedOf(loads)),
  };
}

function windowOf(loads: readonly BoxLoad[]): Window {
  const windows = loads.map(({ box }) => box.window);
  const [first] = windows as [Window];
  return windows.reduce(
    (whole, { start, end }) => ({
      start: start < whole.start ? start : whole.start,
      end: end > whole.end ? end : whole.end,
    }),
    first,
  );
}

function layerEnd(loads: readonly BoxLoad[]): LayerEnd {
  const gaps = loads.flatMap((load) => load.gaps());
  return {
    complete: gaps.length === 0,
    gaps: gaps.map(({ bbox, window, reason }) => ({
      bbox: corners(bbox),
      start: formatInstant(window.start),
      end: formatInstant(window.end),
      reason,
    })),
    ...(loads.some(({ impaired }) => impaired) && { reception: receptionOf(loads) }),
    records: sum(loads, ({ records }) => records),
    requests: sum(loads, ({ requests }) => requests),
  };
}

function receptionOf(loads: readonly BoxLoad[]): LayerEnd['reception'] {
  return [...Map.groupBy(loads, ({ box }) => formatBbox(box.bbox)).values()].flatMap((ofBox) => {
    const [{ box }] = ofBox as [BoxLoad];
    const [impaired, window] = [impairedOf(ofBox), windowOf(ofBox)];
    const isLong = impaired.length > STRETCHES_MAX * Math.ceil(windowLengthMs(window) / HOUR_MS);
    return (isLong ? inWholeMinutes(window, impaired) : impaired).map(({ from, to, state }) => ({
      bbox: corners(box.bbox),
      start: formatInstant(from),
      end: formatInstant(to),
      reason: REASON_OF_RECEPTION[state],
    }));
  });
}

function impairedOf(loads: readonly BoxLoad[]): readonly ImpairedStretch[] {
  return impairedOver(loads.map(({ box: { window }, impaired = [] }) => ({ window, stretches: impaired })));
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** One letter for each minute of the window. @param impaired counts where all parts of a minute are loaded */
export function minuteLetters(
  window: Window,
  parts: readonly Pick<PartState, 'window' | 'status'>[],
  impaired: readonly ImpairedStretch[] = [],
): string {
  const letters = new Array<MinuteLetter | undefined>(Math.ceil(msBetween(window.start, window.end) / MINUTE_MS)).fill(
    undefined,
  );
  for (const { window: span, status } of parts) {
    const letter = letterOf[status];
    const first = Math.max(0, Math.floor(msBetween(window.start, span.start) / MINUTE_MS));
    const end = Math.min(letters.length, Math.ceil(msBetween(window.start, span.end) / MINUTE_MS));
    for (let minute = first; minute < end; minute++) {
      const before = letters[minute];
      if (before === undefined || PRECEDENCE.indexOf(letter) < PRECEDENCE.indexOf(before)) letters[minute] = letter;
    }
  }
  for (const [minute, state] of worstOfMinutes(window.start, impaired)) {
    const { letter, hiddenBy } = IMPAIRED[state];
    if (!hiddenBy.includes(letters[minute] ?? 'n')) letters[minute] = letter;
  }
  // Minutes without a part were not requested.
  return letters.map((letter) => letter ?? 'n').join('');
}
