import { epochMs, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

const STEPS_MIN = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360] as const;

/** Local times carry their UTC offset, and need twice the room. */
export const MAX_TICKS = { wide: { utc: 6, local: 5 }, narrow: { utc: 4, local: 2 } } as const;

/** Epoch ms, both ends inclusive: the smallest step with at most `maxTicks`. */
export function axisTicks({ start, end }: Window, maxTicks: number): readonly number[] {
  const stepMin = STEPS_MIN.find((step) => msBetween(start, end) / (step * MINUTE_MS) <= maxTicks) ?? 720;
  const stepMs = stepMin * MINUTE_MS;
  const ticks: number[] = [];
  for (let at = Math.ceil(epochMs(start) / stepMs) * stepMs; at <= epochMs(end); at += stepMs) ticks.push(at);
  return ticks;
}
