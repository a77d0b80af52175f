import { epochMs, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** Steps that people count in, minutes. */
const STEPS_MIN = [1, 2, 5, 10, 15, 20, 30] as const;

/** Whole times in a window, at most `most` of them, by the smallest step of minutes that leaves no more. Epoch ms. */
export function axisTicks({ start, end }: Window, most: number): readonly number[] {
  const stepMin = STEPS_MIN.find((step) => msBetween(start, end) / (step * MINUTE_MS) <= most) ?? 60;
  const stepMs = stepMin * MINUTE_MS;
  const ticks: number[] = [];
  for (let at = Math.ceil(epochMs(start) / stepMs) * stepMs; at <= epochMs(end); at += stepMs) ticks.push(at);
  return ticks;
}
