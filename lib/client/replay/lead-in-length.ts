import { LEAD_IN_MAX_MS } from '#lib/api/lead-in.ts';
import { HISTORY_MAX_AGE_MS } from '#lib/contract/limits.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { TimeToLive } from './store/replay-cursor.ts';

/**
 * How long before a window's start its lead-in begins, so that the first picture is whole: as long as a position of any layer is shown, in
 * whole minutes, since completeness is known per minute. 0 where no history reaches back that far.
 */
export function leadInLengthMs(start: UpstreamInstant, ttlMs: TimeToLive, now: UpstreamInstant): number {
  const shownForMs = (['aircraft', 'drone'] as const).map((kind) => ttlMs[kind] + AGEING[kind].coastMs);
  const lengthMs = Math.min(LEAD_IN_MAX_MS, Math.ceil(Math.max(...shownForMs) / MINUTE_MS) * MINUTE_MS);
  return addMs(start, -lengthMs) < addMs(now, MINUTE_MS - HISTORY_MAX_AGE_MS) ? 0 : lengthMs;
}
