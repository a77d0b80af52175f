import { z } from 'zod';
import { cornersSchema } from '../geo/corners.ts';
import { instantText, windowTexts } from '../time/instant-schema.ts';

const costSchema = z.object({
  /** Requests to the upstream, as far as can be told; 0 where everything is held already. */
  expected: z.int().nonnegative(),
  /** False where nothing is known of how much was received there: then it takes `expected` at the least. */
  known: z.boolean(),
  /** What to give as `max_requests`: loading makes no more. */
  max_requests: z.int().nonnegative(),
  /** The boxes that are loaded. */
  boxes: z.array(cornersSchema),
});

/** `GET /api/history/cost`: what loading would cost. Asking costs the upstream nothing. */
export const historyCostSchema = z.object({
  /** Now on the upstream's clock: a page that was opened on the past has heard of it from nowhere else. */
  as_of: instantText,
  /** The window as it can be had: one that reaches into the future ends now. */
  ...windowTexts,
  /** Of the area, or of its middle where it is wider than one request may be. */
  middle: costSchema,
  /** Of all of a wide area; null where it is not wide, or too wide. */
  tiles: costSchema.nullable(),
  wide: z.boolean(),
});

export type HistoryCost = z.infer<typeof historyCostSchema>;
