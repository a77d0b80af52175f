import { msBetween, type UpstreamInstant } from './instant.ts';

/** A half-open span of the upstream's time: `start` belongs to it, `end` does not. */
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
