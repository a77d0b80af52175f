import * as z from 'zod/mini';
import { parseInstant, type UpstreamInstant } from './instant.ts';

/** RFC 3339 with a timezone, validated but kept as text. */
export const instantText = z
  .string()
  .check(
    z.refine((text) => parseInstant(text) !== undefined, { error: 'must be an RFC 3339 timestamp with its timezone' }),
  );

/** `end` is exclusive. */
export const windowTexts = { start: instantText, end: instantText };

export function instantParameter(name: string) {
  return z.pipe(
    z.string({ error: `${name} is required: an RFC 3339 timestamp with its timezone` }),
    z.transform((text: string, context): UpstreamInstant => {
      const instant = parseInstant(text);
      if (instant !== undefined) return instant;
      context.issues.push({
        code: 'custom',
        message: `${name} must be an RFC 3339 timestamp with its timezone; encode a + offset as %2B`,
        input: text,
      });
      return z.NEVER;
    }),
  );
}
