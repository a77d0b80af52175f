/** Control characters, separators of lines, halves of characters, and what is invisible or changes direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** One printable line: a name must not forge a header or a second line. */
export function plainLine(text: string): string {
  return text.replace(UNPRINTABLE, ' ').replace(/\s+/gu, ' ').trim();
}
