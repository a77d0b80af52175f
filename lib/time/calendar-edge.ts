import { epochMs, type UpstreamInstant, upstreamInstant } from './instant.ts';
import { DAY_MS, MINUTE_MS } from './time-units.ts';

/** The start of the next full minute, strictly after `now`: where minute counters reset. */
export function nextMinute(now: UpstreamInstant): UpstreamInstant {
  return upstreamInstant((Math.floor(epochMs(now) / MINUTE_MS) + 1) * MINUTE_MS);
}

/** The next midnight UTC, strictly after `now`: where daily counters reset. */
export function nextUtcMidnight(now: UpstreamInstant): UpstreamInstant {
  return upstreamInstant((Math.floor(epochMs(now) / DAY_MS) + 1) * DAY_MS);
}
