import 'server-only';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** A cut is the number of the second, from 1970, that begins there. */
export function secondOf(instant: UpstreamInstant): number {
  return Math.floor(epochMs(instant) / SECOND_MS);
}

export function startOfSecond(second: number): UpstreamInstant {
  return upstreamInstant(second * SECOND_MS);
}

/** The first and last cut inside a window; there is none where `last` is lower than `first`. */
export function cutsInside({ start, end }: Window): { readonly first: number; readonly last: number } {
  return { first: secondOf(start) + 1, last: Math.ceil(epochMs(end) / SECOND_MS) - 1 };
}

/** Whether the window can't be cut: it is one second long, or less at a job's edge. */
export function isSmallestWindow(window: Window): boolean {
  const { first, last } = cutsInside(window);
  return last < first;
}

/** The halves of a window, which has to be one that can be cut. */
export function halvesOf({ start, end }: Window): readonly [Window, Window] {
  const middle = startOfSecond(
    Math.max(secondOf(start) + 1, Math.floor((epochMs(start) + epochMs(end)) / 2 / SECOND_MS)),
  );
  return [
    { start, end: middle },
    { start: middle, end },
  ];
}
