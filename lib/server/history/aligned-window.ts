import 'server-only';
import { HISTORY_MAX_AGE_MS, HISTORY_MAX_WINDOW_MS, LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { addMs, epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { ApiError } from '../api-error.ts';

/** A window that reaches to now ends at a whole one of these, so that those who open it in the same moments share it. */
const NOW_STEP_MS = 10_000;

/**
 * The window as it may be asked for.
 * @throws ApiError where it is longer than the contract allows, in the future, or older than any account's history
 */
export function loadableWindow({ start, end }: Window, now: UpstreamInstant): Window {
  if (msBetween(start, end) > HISTORY_MAX_WINDOW_MS)
    throw new ApiError('bad_query', `A replay is at most ${durationText(HISTORY_MAX_WINDOW_MS)} long.`);
  if (start < addMs(now, -HISTORY_MAX_AGE_MS)) {
    const reach = `${LOOKBACK_MAX_DAYS} days`;
    throw new ApiError('outside_lookback', `This lies more than ${reach} back, further than any history reaches.`);
  }
  const reaches = end <= now ? end : upstreamInstant(Math.floor(epochMs(now) / NOW_STEP_MS) * NOW_STEP_MS);
  if (reaches <= start) throw new ApiError('bad_query', 'This window is in the future; history covers the past.');
  return { start, end: reaches };
}
