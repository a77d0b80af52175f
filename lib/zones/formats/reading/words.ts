import { fieldsOf, textOf } from './fields.ts';

/** Bounds in UTF-16 units: the API takes a zone of 64 KiB, and its corners need a third of that. A word beyond them is cut, and says so. */
const WORD_MAX_LENGTH = 2000;
const WORDS_MAX_LENGTH = 5000;
/** For fields of the document, and for those of a volume. */
export const FEW_WORDS = 1500;
const KEY_MAX_LENGTH = 100;

/** Prefix for words that Lookout adds about an import. The others are the file's own. */
const NOTE = 'lookout: ';

/** The word of Lookout's own about one decision of an import. */
export function note(about: string, text: string): Record<string, string> {
  return { [`${NOTE}${about}`]: text };
}

/** Text without control characters (tabs and line ends stay) and halves of characters. */
export function plainWords(text: string): string {
  return text.toWellFormed().replaceAll(/[^\P{Cc}\t\n]+/gu, ' ');
}

/** Fields as words by their own names. Texts in several languages are joined; nested values stay JSON. Null and empty ones are left out. */
export function wordsOf(
  fields: Readonly<Record<string, unknown>>,
  prefix = '',
  maxLength = WORDS_MAX_LENGTH,
): Record<string, string> {
  const words: [string, string][] = [];
  let room = maxLength;
  let cut = 0;
  for (const [key, value] of Object.entries(fields)) {
    const word = plainWords(wordOf(value)).trim();
    if (word === '') continue;
    if (room <= 0) {
      cut += 1;
      continue;
    }
    const most = Math.min(WORD_MAX_LENGTH, room);
    room -= Math.min(word.length, most) + keyOf(key).length;
    const kept =
      word.length > most ? `${word.slice(0, most).toWellFormed()}… (${word.length} characters in the file)` : word;
    words.push([`${prefix}${keyOf(key)}`, kept]);
  }
  if (cut > 0) words.push([`${prefix}${NOTE}left out`, `${cut} more fields`]);
  return Object.fromEntries(words);
}

function keyOf(key: string): string {
  const plain = plainWords(key).slice(0, KEY_MAX_LENGTH).toWellFormed();
  return plain === '__proto__' ? '_proto_' : plain;
}

function wordOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value)) return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
  const texts = value.map(textIn);
  return texts.every((text) => text !== undefined) ? texts.join(' | ') : JSON.stringify(value);
}

/** An item of a list: a plain value, or a text with its language. */
function textIn(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return String(item);
  if (Array.isArray(item)) return undefined;
  const { text, lang, ...rest } = item as Record<string, unknown>;
  if (typeof text !== 'string' || Object.keys(rest).length > 0) return undefined;
  return typeof lang === 'string' ? `${lang}: ${text}` : text;
}

/** The text to show: the English one of several, or else the first. */
export function shownText(value: unknown): string {
  if (!Array.isArray(value)) return textOf(value).trim();
  const texts = value.flatMap((item: unknown) => {
    const { text, lang } = fieldsOf(item);
    return textOf(text).trim() === '' ? [] : [{ text: textOf(text).trim(), lang: textOf(lang) }];
  });
  return (texts.find(({ lang }) => /^en\b/i.test(lang)) ?? texts[0])?.text ?? '';
}
