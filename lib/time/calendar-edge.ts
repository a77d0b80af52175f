import { epochMs, type UpstreamInstant, upstreamInstant } from './instant.ts';
import { DAY_MS, MINUTE_MS } from './time-units.ts';

/** Strictly after `now`. */
export function nextMinute(now: UpstreamInstant): UpstreamInstant {
  return upstreamInstant((Math.floor(epochMs(now) / MINUTE_MS) + 1) * MINUTE_MS);
}

/** Strictly after `now`. */
export function nextUtcMidnight(now: UpstreamInstant): UpstreamInstant {
  return upstreamInstant((Math.floor(epochMs(now) / DAY_MS) + 1) * DAY_MS);
}
