import 'server-only';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';

/** In milliseconds; of two windows that touch it, the later one is nearer. */
export function distanceMs({ start, end }: Window, from: UpstreamInstant): number {
  if (start >= from) return msBetween(from, start);
  return end > from ? 0 : msBetween(end, from) + 1;
}
