import { z } from 'zod';
import { type Bbox, latSpanDeg, lonSpanDeg } from '../geo/bbox.ts';
import { parseBbox } from '../geo/parse-bbox.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import type { Window } from '../time/window.ts';
import {
  HISTORY_MAX_AGE_MS,
  HISTORY_MAX_SPAN_DEG,
  HISTORY_MAX_WINDOW_MS,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  LIMIT_MIN,
  LIVE_MAX_SPAN_DEG,
} from './limits.ts';
import { publicReferencePattern } from './public-reference.ts';

/** Query parameters: bbox. Positive spans, no antimeridian crossing, each side within `maxSpanDeg`. */
function bboxParameter(maxSpanDeg: number) {
  return z.string({ error: 'bbox is required' }).transform((text, context): Bbox => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    const parsed = parseBbox(text);
    if (!parsed.ok) return refuse(parsed.message);
    if (parsed.bbox.west > parsed.bbox.east) {
      return refuse('bbox east must exceed west; split an area across 180 degrees into two requests');
    }
    if (lonSpanDeg(parsed.bbox) > maxSpanDeg || latSpanDeg(parsed.bbox) > maxSpanDeg) {
      return refuse(`bbox must span at most ${maxSpanDeg} degrees per side`);
    }
    return parsed.bbox;
  });
}

/** Query parameters: limit. */
const limitParameter = z
  .string()
  .regex(/^\d{1,9}$/, { error: `limit must be an integer from ${LIMIT_MIN} to ${LIMIT_MAX}` })
  .transform(Number)
  .refine((limit) => limit >= LIMIT_MIN && limit <= LIMIT_MAX, {
    error: `limit must be an integer from ${LIMIT_MIN} to ${LIMIT_MAX}`,
  })
  .default(LIMIT_DEFAULT);

function instantParameter(name: string) {
  return z.string({ error: `${name} is required` }).transform((text, context): Instant => {
    const instant = parseInstant(text);
    if (instant !== undefined) return instant;
    context.addIssue({
      code: 'custom',
      message: `${name} must be an RFC 3339 timestamp with its timezone; encode a + offset as %2B`,
    });
    return z.NEVER;
  });
}

/** The parameters of a live operation; anything else is refused (Rules for all operations). */
export function liveQuerySchema(prefix: string | undefined) {
  return z.strictObject({
    bbox: bboxParameter(LIVE_MAX_SPAN_DEG),
    limit: limitParameter,
    cursor: z
      .string()
      .regex(publicReferencePattern(prefix), { error: 'cursor must be the next_cursor of the previous response' })
      .optional(),
  });
}

/**
 * The parameters of a history operation at `now`. The account's own lookback, which is a matter of permission (403) and
 * not of form, is checked elsewhere.
 */
export function historyQuerySchema(now: Instant) {
  return z
    .strictObject({
      bbox: bboxParameter(HISTORY_MAX_SPAN_DEG),
      limit: limitParameter,
      start: instantParameter('start'),
      end: instantParameter('end'),
    })
    .superRefine(({ start, end }, context) => {
      const refuse = (message: string) => context.addIssue({ code: 'custom', message });
      if (end <= start) refuse('end must be after start');
      else if (end > now) refuse('end must not be in the future');
      else if (end - start > HISTORY_MAX_WINDOW_MS) refuse('the window must span at most one hour');
      else if (start < now - HISTORY_MAX_AGE_MS) refuse('the window must lie within the last 30 days');
    })
    .transform(({ start, end, ...rest }) => ({ ...rest, window: { start, end } satisfies Window }));
}
