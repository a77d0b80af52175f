import * as z from 'zod/mini';

/** In Unicode characters. */
export const SHORT_NAME_MAX_LENGTH = 80;

/** Control characters, halves of characters, and those that change the direction of the text around them. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** A name as it is kept: composed, without spaces around it, and one space where there were several. */
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
    if (unprintable.test(name)) return refuse('must be plain text on one line');
    return name;
  }),
);
