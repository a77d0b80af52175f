import { msBetween, type UpstreamInstant } from './instant.ts';

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
