import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { epochMs, msBetween } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { cutAfter, cutBefore } from './clock-cut.ts';
import type { Density } from './density.ts';
import type { Gap } from './gaps.ts';
import type { SidedGap } from './outwards.ts';
import { reachedAt, recordsBefore, recordsIn } from './stretch.ts';

type PartPosition = 'start' | 'end' | 'middle';
/**
 * Where in a gap a part is placed, as seen from the instant from which the load goes outwards. In its middle only while both of its ends
 * are busy.
 */
export type PartPlace = 'near' | 'far' | 'middle';
export const PART_PLACES: readonly PartPlace[] = ['near', 'far', 'middle'];

/**
 * Minimum number of parts in a gap before a second or third one is requested in parallel. What one of several leaves over can't
 * join its neighbours, which are loading, and each separately loaded run ends in a partly filled part.
 */
const PARTS_MIN: Readonly<Record<PartPlace, number>> = { near: 1, far: 24, middle: 32 };
/** The fullest page to plan where it saves a part. */
const MAX_FILL = 0.95;
/** Share of a part's records that may be given up to end on a step of the clock: in a burst that is a very short time. */
const RECORDS_GIVEN_UP = 0.04;

export interface PlacedPart {
  readonly window: Window;
  readonly expected: number;
}

/** How many parts a window takes. @param maxPartMs limit for the length of a part */
export function partsNeeded(density: Density, window: Window, maxPartMs: number): number {
  const records = recordsIn(density.expected(window));
  return Math.max(
    1,
    Math.ceil(records / (MAX_FILL * LIMIT_MAX)),
    Math.ceil(msBetween(window.start, window.end) / maxPartMs),
  );
}

/**
 * The next part of a gap at that place; `undefined` where none is to be requested there now. It never covers a window that
 * is known to exceed a page.
 * @param fill share of a page to plan for
 * @param maxPartMs limit for the length of a part
 */
export function placePart(
  density: Density,
  gap: SidedGap,
  seenAs: PartPlace,
  fill: number,
  maxPartMs: number,
): PlacedPart | undefined {
  const place = positionIn(gap, seenAs);
  if (!isPlaceFree(gap, place)) return undefined;
  const { start, end } = gap.window;
  const parts = partsNeeded(density, gap.window, maxPartMs);
  if (parts < PARTS_MIN[seenAs]) return undefined;
  const stretches = density.expected(gap.window);
  const total = recordsIn(stretches);
  // The last two are of equal size; before that a fuller one may save a part.
  const wanted = parts <= 2 ? total / parts : Math.max(fill * LIMIT_MAX, total / parts);

  const isClose = (ideal: number) => {
    const records = recordsBefore(stretches, ideal);
    return (line: number) => Math.abs(records - recordsBefore(stretches, line)) <= RECORDS_GIVEN_UP * wanted;
  };

  let window: Window = gap.window;
  if (parts > 1 && place === 'end') {
    const ideal = Math.max(reachedAt(stretches, total - wanted), epochMs(end) - maxPartMs);
    window = { start: cutAfter(end, ideal, isClose(ideal)), end };
  } else if (parts > 1) {
    const from = place === 'start' ? start : cutBefore(start, reachedAt(stretches, total / 2));
    const reached = reachedAt(stretches, recordsBefore(stretches, epochMs(from)) + wanted);
    const ideal = Math.min(reached, epochMs(from) + maxPartMs);
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

function positionIn({ isBefore }: SidedGap, seenAs: PartPlace): PartPosition {
  if (seenAs === 'middle') return 'middle';
  return (seenAs === 'near') === isBefore ? 'end' : 'start';
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
