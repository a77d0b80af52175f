import type { ImportProblem } from './import-report.ts';

/** The text of a file, and its JSON with the line of each fault: browsers name no line, or differ. */

interface Decoded {
  readonly text: string;
  /** Of bytes that are not in the declared encoding or, without one, in UTF-8. `text` is then read as Windows-1252. */
  readonly problem?: ImportProblem;
  /** The file declares another encoding than it has. */
  readonly isMisdeclared?: boolean;
}

const DECLARATION = /^\s*<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** By the byte order mark, the first bytes, the XML declaration, or else UTF-8. Never throws. */
export function decoded(bytes: Uint8Array): Decoded {
  const label = utf16Of(bytes);
  const declared = label ? undefined : declaredIn(bytes);
  // A declaration that is readable as ASCII is not in UTF-16 (XML 1.0, 4.3.3).
  const isMisdeclared = /^(utf-?16|ucs-?2|utf-?32)/i.test(declared ?? '');
  const encoding = label ?? (isMisdeclared ? undefined : declared) ?? 'utf-8';
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(encoding, { fatal: true });
  } catch {
    const problem = `declares the encoding ${encoding}, which this browser does not know; save the file in UTF-8`;
    return { text: asWindows1252(bytes), problem: { place: 'The file', problem } };
  }
  try {
    return { text: decoder.decode(bytes), isMisdeclared };
  } catch {
    const until = new TextDecoder(encoding).decode(bytes).split('\uFFFD', 1).join('');
    const place = `Line ${until.split('\n').length}`;
    const name = encoding.toUpperCase();
    const problem =
      declared === undefined || isMisdeclared
        ? `has bytes that are no ${name}, and the file declares no other encoding; save it in UTF-8`
        : `has bytes that are no ${name}, which the file declares; save it in UTF-8`;
    return { text: asWindows1252(bytes), problem: { place, problem } };
  }
}

function asWindows1252(bytes: Uint8Array): string {
  return new TextDecoder('windows-1252').decode(bytes);
}

/** Every format begins with an ASCII character. */
function utf16Of([first, second]: Uint8Array): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && second !== undefined)
    ? 'utf-16be'
    : undefined;
}

function declaredIn(bytes: Uint8Array): string | undefined {
  return DECLARATION.exec(asWindows1252(bytes.subarray(0, 400)).replace(/^\u00EF\u00BB\u00BF/, ''))?.[1];
}

/** Formats need 20 levels. Millions of levels take a browser half a minute. */
const DEPTH_MAX = 40;

type JsonReading = { readonly value: unknown } | { readonly problem: ImportProblem };

/** Limits nesting, so that recursion can't overflow. */
export function readJson(text: string): JsonReading {
  const fault = tooDeep(text);
  if (fault) return { problem: fault };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: faultOf(text) ?? { place: 'The file', problem: `is no JSON: ${String(error).slice(0, 200)}` } };
  }
}

/** One feature a line, or after each record separator (RFC 8142); `undefined` if the text is something else. */
export function readJsonRecords(text: string): { features: unknown[]; problems: ImportProblem[] } | undefined {
  const records = text.split(text.startsWith(RECORD_SEPARATOR) ? RECORD_SEPARATOR : '\n');
  const isRecord = (record: string) => record.trim() !== '';
  const first = readJson(records.find(isRecord) ?? '');
  if (!('value' in first) || (first.value as { type?: unknown } | null)?.type !== 'Feature') return undefined;
  const features: unknown[] = [];
  const problems: ImportProblem[] = [];
  let line = 1;
  for (const record of records) {
    if (problems.length > PROBLEMS_MAX) break;
    if (isRecord(record)) {
      const read = readJson(record);
      if ('value' in read) features.push(read.value);
      else problems.push({ place: `Line ${line}`, problem: read.problem.problem });
    }
    line += text.startsWith(RECORD_SEPARATOR) ? record.split('\n').length - 1 : 1;
  }
  return { features, problems };
}

/** More problems are listed nowhere, and take seconds to find. */
const PROBLEMS_MAX = 1000;

export const RECORD_SEPARATOR = '\u001e';

function tooDeep(text: string): ImportProblem | undefined {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > DEPTH_MAX)
        return { place: lineAt(text, at), problem: `has lists within lists, more than ${DEPTH_MAX} levels deep` };
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return undefined;
}

const [BACKSLASH, QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5c, 0x22, 0x5b, 0x5d, 0x7b, 0x7d];

const AFTER = '“,” or a closing bracket';
type Needed = 'a value' | 'a name in quotes' | '“:”' | typeof AFTER;

const TOKEN = /[ \t\r\n]*(?:([{}[\],:])|(")|([^\s{}[\],:"]+|\s))/y;
const WORD = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/** @returns the first fault by RFC 8259 */
function faultOf(text: string): ImportProblem | undefined {
  const open: string[] = [];
  let needed: Needed = 'a value';
  let isFirst = false;
  const token = new RegExp(TOKEN);
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [, mark, quote, word] = found;
    const part = mark ?? quote ?? word ?? '';
    const at = token.lastIndex - part.length;
    const isName = quote !== undefined && needed === 'a name in quotes';
    const isAllowed =
      part === '}' || part === ']'
        ? open.at(-1) === part && (needed === AFTER || isFirst)
        : part === ','
          ? needed === AFTER && open.length > 0
          : part === ':'
            ? needed === '“:”'
            : isName || needed === 'a value';
    if (!isAllowed) {
      const where = open.length === 0 && needed === AFTER ? 'the end of the file' : needed;
      return {
        place: lineAt(text, at),
        problem: `has ${quote ? 'a text' : `“${part.slice(0, 40)}”`}, where ${where} is needed`,
      };
    }
    if (word !== undefined && !WORD.test(word))
      return { place: lineAt(text, at), problem: `has “${word.slice(0, 40)}”, which is no value in JSON` };
    if (quote !== undefined) {
      const end = endOfText(text, at + 1);
      if (typeof end !== 'number') return end;
      token.lastIndex = end;
    }
    if (part === '{' || part === '[') open.push(part === '{' ? '}' : ']');
    if (part === '}' || part === ']') open.pop();
    isFirst = part === '{' || part === '[';
    if (isName) needed = '“:”';
    else if (part === '{' || (part === ',' && open.at(-1) === '}')) needed = 'a name in quotes';
    else needed = part === '[' || part === ',' || part === ':' ? 'a value' : AFTER;
  }
  return open.length === 0 && needed === AFTER ? undefined : cutShort(text);
}

/** @returns the place after its closing quote */
function endOfText(text: string, start: number): number | ImportProblem {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return { place: lineAt(text, at), problem: 'has a line break or tab within a text in quotes' };
    if (code !== BACKSLASH) continue;
    at += 1;
    if (at < text.length && !/["\\/bfnrtu]/.test(text[at] as string))
      return { place: lineAt(text, at), problem: `has “\\${text[at]}” in a text, which JSON does not define` };
  }
  return cutShort(text);
}

function cutShort(text: string): ImportProblem {
  return { place: lineAt(text, text.trimEnd().length), problem: 'ends the file within a value: it is cut short' };
}

function lineAt(text: string, at: number): string {
  return `Line ${text.slice(0, at).split('\n').length}`;
}
