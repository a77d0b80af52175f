import * as z from 'zod/mini';
import { cornersSchema } from '../geo/corners.ts';
import { instantText, windowTexts } from '../time/instant-schema.ts';

const costSchema = z.object({
  /** Estimated requests to the upstream; 0 if everything is cached. */
  expected: z.int().check(z.nonnegative()),
  /** False if nothing is known about the traffic there: `expected` is then a minimum. */
  known: z.boolean(),
  /** The value to send as `max_requests`, which loading never exceeds. */
  max_requests: z.int().check(z.nonnegative()),
  /** The boxes that would be loaded. */
  boxes: z.array(cornersSchema),
});

/** `GET /api/history/cost`: what loading would cost. Answering makes no requests to the upstream. */
export const historyCostSchema = z.object({
  /** Now, on the upstream's clock: a page that was opened on a replay has no other source for it. */
  as_of: instantText,
  /** The available part of the window: one that extends into the future ends now. */
  ...windowTexts,
  /** The cost of the area, or of its middle if the area is wider than one request allows. */
  middle: costSchema,
  /** The cost of all of a wide area; null if it is not wide, or too wide. */
  tiles: z.nullable(costSchema),
  wide: z.boolean(),
  /** False over the embedded service alone, which counts nothing. */
  has_allowance: z.boolean(),
  /** Requests that the account's allowance leaves to this operator for the past now; null if that is not known yet, or there is none. */
  left: z.nullable(z.int().check(z.nonnegative())),
});

export type HistoryCost = z.infer<typeof historyCostSchema>;
