import { z } from 'zod';
import { latSpanDeg, lonSpanDeg } from '../geo/bbox.ts';
import { bboxParameter } from '../geo/bbox-parameter.ts';
import { addMs, msBetween, type UpstreamInstant } from '../time/instant.ts';
import { instantParameter } from '../time/instant-schema.ts';
import { MINUTE_MS } from '../time/time-units.ts';
import type { Window } from '../time/window.ts';
import {
  HISTORY_MAX_AGE_MS,
  HISTORY_MAX_SPAN_DEG,
  HISTORY_MAX_WINDOW_MS,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  LIMIT_MIN,
  LIVE_MAX_SPAN_DEG,
  LOOKBACK_MAX_DAYS,
} from './limits.ts';
import { publicReferencePattern } from './public-reference.ts';

function boxWithin(maxSpanDeg: number) {
  return bboxParameter.superRefine((bbox, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (bbox.west > bbox.east) {
      refuse('bbox east must exceed west; split an area across 180 degrees into two requests');
    } else if (lonSpanDeg(bbox) > maxSpanDeg || latSpanDeg(bbox) > maxSpanDeg) {
      refuse(`bbox must span at most ${maxSpanDeg} degrees per side`);
    }
  });
}

const limitParameter = z
  .string()
  .regex(/^\d{1,9}$/, { error: `limit must be an integer from ${LIMIT_MIN} to ${LIMIT_MAX}` })
  .transform(Number)
  .refine((limit) => limit >= LIMIT_MIN && limit <= LIMIT_MAX, {
    error: `limit must be an integer from ${LIMIT_MIN} to ${LIMIT_MAX}`,
  })
  .default(LIMIT_DEFAULT);

function makeLiveQuery(prefix: string | undefined) {
  return z.strictObject({
    bbox: boxWithin(LIVE_MAX_SPAN_DEG),
    limit: limitParameter,
    cursor: z
      .string()
      .regex(publicReferencePattern(prefix), { error: 'cursor must be the next_cursor of the previous response' })
      .optional(),
  });
}

type LiveQuery = ReturnType<typeof makeLiveQuery>;
/** The schemas by prefix, of which a process has one: a schema costs more to make than to use. */
const liveQueries = new Map<string | undefined, LiveQuery>();

/** Others are rejected (Rules for all operations). */
export function upstreamLiveQuery(prefix: string | undefined): LiveQuery {
  const query = liveQueries.get(prefix) ?? makeLiveQuery(prefix);
  liveQueries.set(prefix, query);
  return query;
}

/** Exceeding the account's lookback is refused elsewhere: it is a 403, not a malformed query. */
export function upstreamHistoryQuery(now: UpstreamInstant) {
  return z
    .strictObject({
      bbox: boxWithin(HISTORY_MAX_SPAN_DEG),
      limit: limitParameter,
      start: instantParameter('start'),
      end: instantParameter('end'),
    })
    .superRefine(({ start, end }, context) => {
      const refuse = (message: string) => context.addIssue({ code: 'custom', message });
      if (end <= start) refuse('end must be after start');
      else if (end > now) refuse('end must not be in the future');
      else if (msBetween(start, end) > HISTORY_MAX_WINDOW_MS)
        refuse(`the window must span at most ${HISTORY_MAX_WINDOW_MS / MINUTE_MS} minutes`);
      else if (start < addMs(now, -HISTORY_MAX_AGE_MS))
        refuse(`the window must lie within the last ${LOOKBACK_MAX_DAYS} days`);
    })
    .transform(({ start, end, ...rest }) => ({ ...rest, window: { start, end } satisfies Window }));
}
