import 'server-only';
import { LEAD_IN_MAX_MS } from '#lib/api/lead-in.ts';
import { HISTORY_MAX_AGE_MS, HISTORY_MAX_WINDOW_MS, LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { addMs, epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { ApiError } from '../api-error.ts';

/** A window that reaches to now ends at a multiple of this, so that operators who open it at about the same time share it. */
const NOW_STEP_MS = 10_000;

/**
 * The part of a window that can be loaded: up to now at most.
 * @throws ApiError where it is longer than an hour and its lead-in, in the future, or older than any account's history
 */
export function loadableWindow({ start, end }: Window, now: UpstreamInstant): Window {
  if (msBetween(start, end) > HISTORY_MAX_WINDOW_MS + LEAD_IN_MAX_MS) {
    const [longest, leadIn] = [HISTORY_MAX_WINDOW_MS, LEAD_IN_MAX_MS].map(durationText);
    throw new ApiError('bad_query', `A replay is at most ${longest} long, with at most ${leadIn} before it.`);
  }
  if (start < addMs(now, -HISTORY_MAX_AGE_MS)) {
    const reach = `${LOOKBACK_MAX_DAYS} days`;
    throw new ApiError('outside_lookback', `This starts more than ${reach} ago; no history goes back that far.`);
  }
  const endsAt = end <= now ? end : upstreamInstant(Math.floor(epochMs(now) / NOW_STEP_MS) * NOW_STEP_MS);
  if (endsAt <= start)
    throw new ApiError('bad_query', 'This window is in the future: choose one that has already started.');
  return { start, end: endsAt };
}
