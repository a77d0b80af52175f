import { z } from 'zod';
import type { Bbox } from './bbox.ts';
import { parseBbox } from './parse-bbox.ts';

/** `bbox` of a query, as `parseBbox` reads it. What else it must be is up to who asks. */
export const bboxParameter = z
  .string({ error: 'bbox is required: west,south,east,north in decimal degrees' })
  .transform((text, context): Bbox => {
    const parsed = parseBbox(text);
    if (parsed.ok) return parsed.bbox;
    context.addIssue({ code: 'custom', message: parsed.message });
    return z.NEVER;
  });
