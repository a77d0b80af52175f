import { epochMs, type UpstreamInstant, upstreamInstant } from './instant.ts';
import { DAY_MS, MINUTE_MS } from './time-units.ts';

/** @returns an instant strictly after `now` */
export function nextMinute(now: UpstreamInstant): UpstreamInstant {
  return upstreamInstant((Math.floor(epochMs(now) / MINUTE_MS) + 1) * MINUTE_MS);
}

/** @returns an instant strictly after `now` */
export function nextUtcMidnight(now: UpstreamInstant): UpstreamInstant {
  return upstreamInstant((Math.floor(epochMs(now) / DAY_MS) + 1) * DAY_MS);
}
