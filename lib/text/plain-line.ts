/** Control characters, separators of lines, halves of characters, and what is invisible or changes direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** One printable line: a name must not forge a header or a second line. */
export function plainLine(text: string): string {
  return text.replace(UNPRINTABLE, ' ').replace(/\s+/gu, ' ').trim();
}

/** Unicode characters of a name that an operator gives, such as a zone's. */
export const SHORT_NAME_MAX_LENGTH = 80;

/** Not in such a name: control characters, halves of characters, changes of text direction. */
export const UNPRINTABLE_IN_NAMES = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/u;

/** As a person wrote it, without what is invisible there or changes its direction. */
export function plainText(text: string): string {
  return text
    .replaceAll(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replaceAll(/[^\P{Cc}\n\t]|[\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim();
}
