import * as z from 'zod/mini';
import { parseInstant, type UpstreamInstant } from './instant.ts';

/** A timestamp in an API response: RFC 3339 with a timezone, validated but kept as text. */
export const instantText = z
  .string()
  .check(
    z.refine((text) => parseInstant(text) !== undefined, { error: 'must be an RFC 3339 timestamp with its timezone' }),
  );

/** A half-open time window in an API response: `start` is inclusive, `end` exclusive. */
export const windowTexts = { start: instantText, end: instantText };

/**
 * A timestamp in a query, parsed.
 * @param name the parameter's name, for error messages
 */
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
