import { epochMs, msBetween, type UpstreamInstant } from './instant.ts';
import { MINUTE_MS } from './time-units.ts';

/** Both instants are of the upstream's clock. `end` is exclusive. */
export interface Window {
  readonly start: UpstreamInstant;
  readonly end: UpstreamInstant;
}

export function windowContains(window: Window, instant: UpstreamInstant): boolean {
  return instant >= window.start && instant < window.end;
}

export function windowLengthMs(window: Window): number {
  return msBetween(window.start, window.end);
}

const STEPS_MIN = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360] as const;

/** The ticks in epoch ms, both ends inclusive: the smallest step with at most `maxTicks`. */
export function axisTicks({ start, end }: Window, maxTicks: number): readonly number[] {
  const stepMin = STEPS_MIN.find((step) => msBetween(start, end) / (step * MINUTE_MS) <= maxTicks) ?? 720;
  const stepMs = stepMin * MINUTE_MS;
  const ticks: number[] = [];
  for (let at = Math.ceil(epochMs(start) / stepMs) * stepMs; at <= epochMs(end); at += stepMs) ticks.push(at);
  return ticks;
}
