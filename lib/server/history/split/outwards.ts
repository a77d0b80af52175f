import 'server-only';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Gap } from './gaps.ts';

/** A gap before or after the instant from which a load goes outwards. */
export interface SidedGap extends Gap {
  readonly isBefore: boolean;
}

/** How far a window is from that instant, in milliseconds; of two that touch it, the later one is nearer. */
export function distanceMs({ start, end }: Window, from: UpstreamInstant): number {
  if (start >= from) return msBetween(from, start);
  return end > from ? 0 : msBetween(end, from) + 1;
}

/** The gaps, the nearest first. One around the instant is cut there. */
export function outwards(gaps: readonly Gap[], from: UpstreamInstant): readonly SidedGap[] {
  return gaps
    .flatMap((gap): SidedGap[] => {
      const { start, end } = gap.window;
      if (end <= from) return [{ ...gap, isBefore: true }];
      if (start >= from) return [{ ...gap, isBefore: false }];
      return [
        { window: { start: from, end }, isStartFree: true, isEndFree: gap.isEndFree, isBefore: false },
        { window: { start, end: from }, isStartFree: gap.isStartFree, isEndFree: true, isBefore: true },
      ];
    })
    .sort((a, b) => distanceMs(a.window, from) - distanceMs(b.window, from));
}
