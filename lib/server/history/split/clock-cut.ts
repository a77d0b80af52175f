import 'server-only';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** Steps of the UTC clock at whose multiples windows are cut, coarsest first. */
const STEPS_MS = [5 * MINUTE_MS, MINUTE_MS, 30_000, 10_000, 5000, 1000] as const;

/** Windows are only cut at whole seconds. */
const FINEST_MS = 1000;

/** The share of its length that a part gives up, at most, to end on a coarser step. */
const GIVEN_UP = 0.04;

/** Whether no whole second lies inside, so that the window can't be cut: it is one second long, or less at a job's edge. */
export function isSmallestWindow(window: Window): boolean {
  return firstCutAfter(window.start) >= epochMs(window.end);
}

/**
 * The end of a part that begins at `start` and should end at `ideal`: a multiple of the coarsest possible step shortly before
 * it, so that overlapping jobs tend to cut at the same times. Never before the first whole second after `start`.
 * @param isClose whether ending at that multiple instead gives up little
 */
export function cutBefore(
  start: UpstreamInstant,
  ideal: number,
  isClose: (lineMs: number) => boolean = () => true,
): UpstreamInstant {
  for (const step of STEPS_MS) {
    const line = Math.floor(ideal / step) * step;
    if (line > epochMs(start) && ideal - line <= (ideal - epochMs(start)) * GIVEN_UP && isClose(line))
      return upstreamInstant(line);
  }
  return upstreamInstant(Math.max(firstCutAfter(start), Math.floor(ideal / FINEST_MS) * FINEST_MS));
}

/** The same backwards: the start of a part that ends at `end`. */
export function cutAfter(
  end: UpstreamInstant,
  ideal: number,
  isClose: (lineMs: number) => boolean = () => true,
): UpstreamInstant {
  return mirrored(cutBefore(mirrored(end), -ideal, (lineMs) => isClose(-lineMs)));
}

function mirrored(instant: UpstreamInstant): UpstreamInstant {
  return upstreamInstant(-epochMs(instant));
}

function firstCutAfter(instant: UpstreamInstant): number {
  return (Math.floor(epochMs(instant) / FINEST_MS) + 1) * FINEST_MS;
}
