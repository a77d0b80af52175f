import { z } from 'zod';
import type { Bbox } from './bbox.ts';
import { parseBbox } from './parse-bbox.ts';

export const bboxParameter = z
  .string({ error: 'bbox is required: west,south,east,north in decimal degrees' })
  .transform((text, context): Bbox => {
    const parsed = parseBbox(text);
    if (parsed.ok) return parsed.bbox;
    context.addIssue({ code: 'custom', message: parsed.message });
    return z.NEVER;
  });
