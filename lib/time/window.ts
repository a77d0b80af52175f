import type { Instant } from './instant.ts';

/** A half-open span of time: `start` belongs to it, `end` does not. */
export interface Window {
  readonly start: Instant;
  readonly end: Instant;
}

export function windowContains(window: Window, instant: Instant): boolean {
  return instant >= window.start && instant < window.end;
}

export function windowLengthMs(window: Window): number {
  return window.end - window.start;
}
