import { z } from 'zod';
import { parseSince, type Since } from './compact-answer.ts';
import { bboxParameter, centreLiesInBbox, centreParameter, layersParameter } from './view-parameters.ts';

/** The query of `GET /api/live`: a viewport of any size and one or both layers, both where none is named. Unknown parameters are refused. */
export const liveQuerySchema = z
  .strictObject({
    bbox: bboxParameter,
    centre: centreParameter,
    layers: layersParameter,
    /** Tells the pages of one operator apart, so that a page that moves on is not counted twice; without it the view is the page. */
    page: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,40}$/, { error: 'must be at most 40 letters, digits and hyphens' })
      .optional(),
    /** What the page holds already; for the compact form alone. */
    since: z
      .string()
      .transform((text, context): Since => {
        const since = parseSince(text);
        if (since) return since;
        context.addIssue({ code: 'custom', message: 'since must be AREA:SEQUENCE,… as an answer before named them' });
        return z.NEVER;
      })
      .optional(),
  })
  .refine(...centreLiesInBbox);
