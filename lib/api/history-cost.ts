import * as z from 'zod/mini';
import { cornersSchema } from '../geo/corners.ts';
import { instantText, windowTexts } from '../time/instant-schema.ts';

const costSchema = z.object({
  /** Estimated requests to the upstream; 0 if everything is cached. */
  expected: z.int().check(z.nonnegative()),
  /** False while the traffic there is not known: `expected` is then a minimum. */
  known: z.boolean(),
  /** The value to send as `max_requests`; a load never exceeds it. */
  max_requests: z.int().check(z.nonnegative()),
  /** Boxes that a load would read. */
  boxes: z.array(cornersSchema),
});

/** `GET /api/history/cost`, without upstream requests. */
export const historyCostSchema = z.object({
  /** Current time on the upstream's clock. */
  as_of: instantText,
  /** The available part of the window: one that extends into the future ends now. */
  ...windowTexts,
  /** The cost of the area, or of its middle if the area is wider than one request allows. */
  middle: costSchema,
  /** The cost of all of a wide area in tiles; null if it is not wide, or too wide. */
  tiles: z.nullable(costSchema),
  /** The area is larger than one request allows. */
  wide: z.boolean(),
  /** False only with the embedded service, which has no allowance. */
  has_allowance: z.boolean(),
  /** Requests left to this operator for the past; null if not known, or without an allowance. */
  left: z.nullable(z.int().check(z.nonnegative())),
});

export type HistoryCost = z.infer<typeof historyCostSchema>;
