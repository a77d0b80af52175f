import { type Instant, instantFromMs } from './instant.ts';
import { DAY_MS, MINUTE_MS } from './time-units.ts';

/** The start of the next full minute, strictly after `now`: where minute counters reset. */
export function nextMinute(now: Instant): Instant {
  return instantFromMs((Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS);
}

/** The next midnight UTC, strictly after `now`: where daily counters reset. */
export function nextUtcMidnight(now: Instant): Instant {
  return instantFromMs((Math.floor(now / DAY_MS) + 1) * DAY_MS);
}
