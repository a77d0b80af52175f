export const ERROR_TEXT_MAX_LENGTH = 200;

/** `FILE.js:LINE:COLUMN` */
export const CODE_PLACE = /^[\w.~-]{1,100}\.m?js:\d{1,7}:\d{1,7}$/;

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
