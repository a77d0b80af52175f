import { z } from 'zod';
import { type Instant, parseInstant } from '../time/instant.ts';
import { bboxParameter, centreLiesInBbox, centreParameter, layersParameter } from './view-parameters.ts';

function instantParameter(name: string) {
  return z
    .string({ error: `${name} is required: an RFC 3339 time with its zone` })
    .transform((text, context): Instant => {
      const instant = parseInstant(text);
      if (instant !== undefined) return instant;
      context.addIssue({ code: 'custom', message: `${name} must be an RFC 3339 time with its zone; encode + as %2B` });
      return z.NEVER;
    });
}

/**
 * The query of `GET /api/history` and `GET /api/history/cost`. `start` is inclusive, `end` exclusive. How long a window and how
 * wide an area may be, and what lies too far back, is said by the server.
 */
export const historyQuerySchema = z
  .strictObject({
    bbox: bboxParameter,
    centre: centreParameter,
    layers: layersParameter,
    start: instantParameter('start'),
    end: instantParameter('end'),
    /** How to load an area that is wider than one request may be; without it such an area is refused. */
    wide: z.enum(['middle', 'tiles'], { error: 'must be middle or tiles' }).optional(),
    /** Requests to the upstream at most: what the operator was told. */
    most: z
      .string()
      .regex(/^\d{1,5}$/, { error: 'must be a whole number' })
      .transform(Number)
      .optional(),
  })
  .refine(...centreLiesInBbox)
  .refine(({ start, end }) => start < end, { error: 'end must be after start' })
  .transform(({ start, end, ...rest }) => ({ ...rest, window: { start, end } }));

export type HistoryQuery = z.infer<typeof historyQuerySchema>;
