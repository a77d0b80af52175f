import { fieldsOf, textOf } from './fields.ts';

/** UTF-16 units: the API takes zones of 64 KiB, a third of it for corners. */
const WORD_MAX_LENGTH = 2000;
const WORDS_MAX_LENGTH = 5000;
export const FEW_WORDS = 1500;
const KEY_MAX_LENGTH = 100;

/** Marks words that an import adds. */
const NOTE = 'lookout: ';

export function note(about: string, text: string): Record<string, string> {
  return { [`${NOTE}${about}`]: text };
}

export function plainWords(text: string): string {
  return text.toWellFormed().replaceAll(/[^\P{Cc}\t\n]+/gu, ' ');
}

/** Joins languages, keeps nested values as JSON, omits empty ones. */
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

function textIn(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return String(item);
  if (Array.isArray(item)) return undefined;
  const { text, lang, ...rest } = item as Record<string, unknown>;
  if (typeof text !== 'string' || Object.keys(rest).length > 0) return undefined;
  return typeof lang === 'string' ? `${lang}: ${text}` : text;
}

/** The English text, or else the first. */
export function shownText(value: unknown): string {
  if (!Array.isArray(value)) return textOf(value).trim();
  const texts = value.flatMap((item: unknown) => {
    const { text, lang } = fieldsOf(item);
    return textOf(text).trim() === '' ? [] : [{ text: textOf(text).trim(), lang: textOf(lang) }];
  });
  return (texts.find(({ lang }) => /^en\b/i.test(lang)) ?? texts[0])?.text ?? '';
}
