import { type JsonObject, jsonObject, mendObject } from './mend-object.ts';

export interface JsonRows {
  /** The other fields of the answer than the list. */
  readonly top: JsonObject;
  readonly isList: boolean;
  /** A row that is no JSON is undefined. */
  readonly rows: readonly unknown[];
  /** The whole answer is no JSON: rows may be missing. */
  readonly isDamaged: boolean;
  /** Fields whose value is no JSON; each is null. */
  readonly unusable: readonly string[];
}

const NONE: readonly string[] = [];

/**
 * Reads each row for itself if the whole is no JSON, in linear time.
 * @param rowsMax limit for a damaged answer
 * @returns undefined if the answer has no list
 */
export function readRows(text: string, listNames: readonly string[], rowsMax: number): JsonRows | undefined {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return readDamaged(text, listNames, rowsMax);
  }
  if (Array.isArray(whole)) return { top: {}, isList: true, rows: whole, isDamaged: false, unusable: NONE };
  const top = jsonObject(whole);
  const rows = top && listNames.map((name) => top[name]).find(Array.isArray);
  return rows && { top, isList: false, rows, isDamaged: false, unusable: NONE };
}

/**
 * Reads objects that are separated by a comma, white space or nothing.
 * @returns undefined for each that is no JSON
 */
export function readObjects(
  text: string,
  objectsMax: number,
): { readonly objects: readonly (JsonObject | undefined)[]; readonly unusable: readonly string[] } {
  const one = mendObject(text);
  if (one) return { objects: [one.object], unusable: one.unusable };
  return mendEach(textsOf(text, objectsMax));
}

function readDamaged(text: string, listNames: readonly string[], rowsMax: number): JsonRows | undefined {
  const name = new RegExp(`"(?:${listNames.join('|')})"\\s*:\\s*\\[`).exec(text);
  const isList = name === null && /^\s*\[\s*\{/.test(text);
  if (name === null && !isList) return undefined;
  const from = name === null ? text.indexOf('[') + 1 : name.index + name[0].length;
  const to = endOfRows(text, from);
  const rows = text.slice(from, to);
  const { objects, unusable } = mendEach(rows.trim() === '' ? [] : textsOf(rows, rowsMax));
  const before = name === null ? undefined : mendObject(`${text.slice(0, name.index)}}`);
  const after = isList ? undefined : mendObject(`{${text.slice(to).replace(/^[\s,]*\]\s*,?/, '')}`);
  return {
    top: { ...after?.object, ...before?.object },
    isList,
    rows: objects,
    isDamaged: true,
    unusable: [...(before?.unusable ?? []), ...unusable, ...(after?.unusable ?? [])],
  };
}

/** Before the bracket that ends the list, or at the end of a cut answer. */
function endOfRows(text: string, from: number): number {
  for (let at = text.lastIndexOf(']'); at >= from; at = text.lastIndexOf(']', at - 1)) {
    let last = at - 1;
    while (last >= from && SEPARATORS.has(text[last]!)) last -= 1;
    if (last < from || text[last] === '}') return last + 1;
  }
  return text.length;
}

const SEPARATORS: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r', ',']);

/** The text between two rows. A row has no list of objects in it. */
const BETWEEN = /\}([^{}":]*)(?=\{)/g;
const BEFORE_FIRST = /^[^{}":]*(?=\{)/;
const AFTER_LAST = /^[\s,\]]*$/;

/** The texts of at most `max` objects, and the rest as one text. */
function textsOf(text: string, max: number): string[] {
  const before = BEFORE_FIRST.exec(text)?.[0] ?? '';
  const texts = noObjects(before, max);
  let from = before.length;
  for (const { index, 0: between, 1: separator = '' } of text.matchAll(BETWEEN)) {
    if (texts.length >= max) break;
    texts.push(text.slice(from, index + 1), ...noObjects(separator, max));
    from = index + between.length;
  }
  const end = text.lastIndexOf('}') + 1;
  const last = text.slice(from, end > from && AFTER_LAST.test(text.slice(end)) ? end : undefined);
  return texts.length > 0 && last.trim() === '' ? texts : [...texts, last];
}

function noObjects(separator: string, max: number): string[] {
  return separator
    .split(',', max)
    .map((item) => item.replace(/[\s[\]]/g, ''))
    .filter((item) => item !== '');
}

function mendEach(texts: readonly string[]) {
  const mended = texts.map((text) => mendObject(text));
  return {
    objects: mended.map((each) => each?.object),
    unusable: mended.flatMap((each) => each?.unusable ?? NONE),
  };
}
