import { type Instant, instantFromMs } from './instant.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The start of the next full minute, strictly after `now`: where minute counters reset. */
export function nextMinute(now: Instant): Instant {
  return instantFromMs((Math.floor(now / minuteMs) + 1) * minuteMs);
}

/** The next midnight UTC, strictly after `now`: where daily counters reset. */
export function nextUtcMidnight(now: Instant): Instant {
  return instantFromMs((Math.floor(now / dayMs) + 1) * dayMs);
}
