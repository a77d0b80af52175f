import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { epochMs, msBetween } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { cutAfter, cutBefore } from './clock-cut.ts';
import type { Density } from './density.ts';
import type { Gap } from './gaps.ts';
import { reachedAt, recordsBefore, recordsIn } from './stretch.ts';

/** Where a part is taken from a gap. In its middle only while both of its ends are busy. */
export type PartPosition = 'start' | 'end' | 'middle';
export const PART_POSITIONS: readonly PartPosition[] = ['start', 'end', 'middle'];

/**
 * Parts that a gap must take before a second or third one is asked beside the first: what one of several leaves over can't be
 * joined to its neighbours, which are loading, and each stretch loaded by itself ends in a part that is not full.
 */
const PARTS_MIN: Readonly<Record<PartPosition, number>> = { start: 1, end: 24, middle: 32 };
/** The fullest page that is tried where it saves a part. */
const FULLEST = 0.95;
/** So much of a part's records may be given up for a line of the clock: in a burst that is a moment. */
const GIVEN_UP = 0.04;

export interface PlacedPart {
  readonly window: Window;
  readonly expected: number;
}

/** How many parts a window takes. @param longestMs of a part */
export function partsNeeded(density: Density, window: Window, longestMs: number): number {
  const records = recordsIn(density.expected(window));
  return Math.max(
    1,
    Math.ceil(records / (FULLEST * LIMIT_MAX)),
    Math.ceil(msBetween(window.start, window.end) / longestMs),
  );
}

/**
 * The next part of a gap at that place; `undefined` where none is to be asked there now. It never covers a window that is
 * known to exceed a page.
 * @param fill of a page to aim at
 * @param longestMs of a part
 */
export function placePart(
  density: Density,
  gap: Gap,
  place: PartPosition,
  fill: number,
  longestMs: number,
): PlacedPart | undefined {
  if (!isPlaceFree(gap, place)) return undefined;
  const { start, end } = gap.window;
  const parts = partsNeeded(density, gap.window, longestMs);
  if (parts < PARTS_MIN[place]) return undefined;
  const stretches = density.expected(gap.window);
  const total = recordsIn(stretches);
  // The last two are made even; before that a full one may save a part.
  const wanted = parts <= 2 ? total / parts : Math.max(fill * LIMIT_MAX, total / parts);

  const isClose = (ideal: number) => {
    const records = recordsBefore(stretches, ideal);
    return (line: number) => Math.abs(records - recordsBefore(stretches, line)) <= GIVEN_UP * wanted;
  };

  let window: Window = gap.window;
  if (parts > 1 && place === 'end') {
    const ideal = Math.max(reachedAt(stretches, total - wanted), epochMs(end) - longestMs);
    window = { start: cutAfter(end, ideal, isClose(ideal)), end };
  } else if (parts > 1) {
    const from = place === 'start' ? start : cutBefore(start, reachedAt(stretches, total / 2));
    const reached = reachedAt(stretches, recordsBefore(stretches, epochMs(from)) + wanted);
    const ideal = Math.min(reached, epochMs(from) + longestMs);
    window = { start: from, end: cutBefore(from, ideal, isClose(ideal)) };
  }
  if (window.start < start || window.end > end) window = gap.window;

  for (let known = density.overfullWithin(window); known; known = density.overfullWithin(window)) {
    const middleMs = (epochMs(known.start) + epochMs(known.end)) / 2;
    window =
      place === 'end'
        ? { ...window, start: cutAfter(window.end, middleMs) }
        : { ...window, end: cutBefore(window.start, middleMs) };
  }
  return {
    window,
    expected: recordsBefore(stretches, epochMs(window.end)) - recordsBefore(stretches, epochMs(window.start)),
  };
}

function isPlaceFree({ isStartFree, isEndFree }: Gap, place: PartPosition): boolean {
  switch (place) {
    case 'start':
      return isStartFree;
    case 'end':
      return isEndFree;
    case 'middle':
      return !isStartFree && !isEndFree;
  }
}
