import * as z from 'zod/mini';

/** Counts Unicode characters. */
export const SHORT_NAME_MAX_LENGTH = 80;

/** Control characters, halves of characters, changes of text direction. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

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
    if (unprintable.test(name)) return refuse('must be plain text on one line');
    return name;
  }),
);
