import * as z from 'zod/mini';
import { plainText, SHORT_NAME_MAX_LENGTH, UNPRINTABLE_IN_NAMES } from '#lib/text/plain-line.ts';

/** The parsed name is composed (NFC), and has single spaces. */
export const shortName = z.pipe(
  z.string().check(z.maxLength(8 * SHORT_NAME_MAX_LENGTH, { error: 'is too long' })),
  z.transform((text, { issues, value }) => {
    const refuse = (message: string): never => {
      issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    };
    const name = text
      .normalize('NFC')
      .trim()
      .replace(/\p{Zs}+/gu, ' ');
    const { length } = [...name];
    if (length === 0) return refuse('must not be empty');
    if (length > SHORT_NAME_MAX_LENGTH) return refuse(`must be at most ${SHORT_NAME_MAX_LENGTH} characters`);
    if (UNPRINTABLE_IN_NAMES.test(name)) return refuse('must be plain text on one line');
    return name;
  }),
);

/** The parsed text has no control characters but line breaks and tabs, and nothing that changes its direction. */
export function writtenText(maxLength: number, minLength = 0) {
  return z.pipe(
    z.pipe(z.string().check(z.maxLength(maxLength)), z.transform(plainText)),
    z.string().check(z.minLength(minLength)),
  );
}
