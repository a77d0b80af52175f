import { z } from 'zod';
import { parseInstant, type UpstreamInstant } from './instant.ts';

/** A time in an answer: RFC 3339 with its timezone, kept as text. Reading it is the next step's work. */
export const instantText = z.string().refine((text) => parseInstant(text) !== undefined, {
  error: 'must be an RFC 3339 timestamp with its timezone',
});

/** A half-open span of time in an answer: `start` belongs to it, `end` does not. */
export const windowTexts = { start: instantText, end: instantText };

/** A time in a query. @param name of the parameter, for its refusal */
export function instantParameter(name: string) {
  return z
    .string({ error: `${name} is required: an RFC 3339 timestamp with its timezone` })
    .transform((text, context): UpstreamInstant => {
      const instant = parseInstant(text);
      if (instant !== undefined) return instant;
      context.addIssue({
        code: 'custom',
        message: `${name} must be an RFC 3339 timestamp with its timezone; encode a + offset as %2B`,
      });
      return z.NEVER;
    });
}
