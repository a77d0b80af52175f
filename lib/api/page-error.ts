import * as z from 'zod/mini';

const ERROR_TEXT_MAX_LENGTH = 200;

/** `FILE.js:LINE:COLUMN` */
const CODE_PLACE = /^[\w.~-]{1,100}\.m?js:\d{1,7}:\d{1,7}$/;

export const PAGE_ERROR_KINDS = [
  /** An answer that the page could not read. */
  'answer',
  /** A worker that stopped or did not load. */
  'worker',
  /** A part of the page that failed while the rest went on. */
  'part',
  /** The page as a whole. */
  'page',
  /** An error that no code expected. */
  'uncaught',
] as const;
export type PageErrorKind = (typeof PAGE_ERROR_KINDS)[number];

/** `POST /api/page-errors` */
export const pageErrorSchema = z.strictObject({
  /** The part that failed. */
  kind: z.enum(PAGE_ERROR_KINDS),
  /** The error's message, without addresses, quoted text and numbers. */
  message: z.string().check(z.maxLength(ERROR_TEXT_MAX_LENGTH)),
  /** `FILE.js:LINE:COLUMN` in Lookout’s own code; null if unknown. */
  at: z.nullable(z.string().check(z.regex(CODE_PLACE, { error: 'must be FILE.js:LINE:COLUMN or null' }))),
});
export type PageError = z.infer<typeof pageErrorSchema>;

const ADDRESS = /[a-z][a-z0-9+.-]*:[^\s'"()]+|\S*[/?=&@\\]\S*/gi;
/** Engines quote the names of code after these words. */
const CODE_NAME = /(?<=(?:reading|setting|property|evaluating|variable:?) ['"“])[\w$.]{1,60}(?=['"”])/gi;
const QUOTED = /"[^"]*"?|“[^”]*”?|‘[^’]*’?|`[^`]*`?|(?<!\w)'[^']*'?/g;

/**
 * An error's first line without what an operator or a link could have put there: addresses, quoted text, words with
 * numbers, and characters other than printable ASCII. Names of code stay. The page and the server both apply it.
 */
export function strippedMessage(message: string): string {
  const [line = ''] = message.slice(0, 10 * ERROR_TEXT_MAX_LENGTH).split(/[\r\n\u2028\u2029]/);
  const names: string[] = [];
  const text = line
    .replace(CODE_NAME, (name) => {
      names.push(name);
      return '';
    })
    .replace(QUOTED, ' ... ')
    .replace(ADDRESS, ' ... ')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/[\w.,+-]*\d[\w.,+-]*/g, numberless);
  const named = names.length === 0 ? text : `${text} (${names.map((name) => name.replace(/\d+/g, '#')).join(' ')})`;
  return named.replace(/ +/g, ' ').trim().slice(0, ERROR_TEXT_MAX_LENGTH);
}

/** `webgl2` stays; coordinates, times and references do not. */
function numberless(word: string): string {
  return /^[A-Za-z]+\d[A-Za-z]*$/.test(word) ? word : '#';
}

/** The first place of a stack that is in Lookout's own code. */
export function placeOf(stack: string | undefined): string | null {
  const own = /\/_next\/static\/(?:[\w.~%-]+\/)*([\w.~-]+\.m?js)(?:[?#][^\s:)]*)?:(\d+):(\d+)/.exec(stack ?? '');
  const at = own && `${own[1]}:${own[2]}:${own[3]}`;
  return at && CODE_PLACE.test(at) ? at : null;
}
