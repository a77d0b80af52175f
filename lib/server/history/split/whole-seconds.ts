import 'server-only';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** Windows are cut at whole seconds: a cut is the number of the second that begins there, counted from 1970. */
export function secondOf(instant: UpstreamInstant): number {
  return Math.floor(epochMs(instant) / SECOND_MS);
}

export function startOfSecond(second: number): UpstreamInstant {
  return upstreamInstant(second * SECOND_MS);
}

/** The cuts that lie inside a window: from `first` to `last`, none where `last` is lower. */
export function cutsInside({ start, end }: Window): { readonly first: number; readonly last: number } {
  return { first: secondOf(start) + 1, last: Math.ceil(epochMs(end) / SECOND_MS) - 1 };
}

/** Whether no whole second lies inside, so that the window can't be cut: it is one second long, or less at a job's edge. */
export function isSmallestWindow(window: Window): boolean {
  const { first, last } = cutsInside(window);
  return last < first;
}

/** The window's two halves; a window that can be cut. */
export function halvesOf({ start, end }: Window): readonly [Window, Window] {
  const middle = startOfSecond(
    Math.max(secondOf(start) + 1, Math.floor((epochMs(start) + epochMs(end)) / 2 / SECOND_MS)),
  );
  return [
    { start, end: middle },
    { start: middle, end },
  ];
}
