/** A received JSON object, with unchecked content. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface MendedObject {
  readonly object: JsonObject;
  /** Names of the fields whose value is no JSON. Each is null in `object`. */
  readonly unusable: readonly string[];
}

/** The longest records in the field have 2 KiB. A text as long as no line may be is not one record. */
const LENGTH_MAX = 64 * 1024;

const NONE: readonly string[] = [];

/**
 * Parses one object. Of an object that is no JSON it keeps every sound value:
 * - A bare word such as `nan`, or a missing value, becomes null.
 * - Raw control characters and stray backslashes in texts are kept.
 * - A comma before the end is dropped.
 *
 * No value is guessed, so a record with an unescaped quote stays unreadable.
 *
 * Made here because libraries that repair JSON (jsonrepair 3.15) invent values: they close a cut text and a cut number.
 * Linear in the length of the text.
 *
 * @returns undefined if the text is no object, or longer than 64 KiB
 */
export function mendObject(text: string): MendedObject | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const object = objectOf(text);
  if (object !== undefined) return { object, unusable: NONE };
  const unusable: string[] = [];
  let lastText = '';
  const mended = text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) {
      lastText = token.slice(1, -1);
      return escaped(token);
    }
    if (token.startsWith(',')) return '';
    if (JSON_SCALAR.test(token)) return token;
    unusable.push(lastText);
    return token.startsWith(':') ? ':null' : 'null';
  });
  const found = objectOf(mended);
  return found && { object: found, unusable };
}

/** @returns undefined if the value is no object */
export function jsonObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** Undefined too where it was JSON, of something else. */
function objectOf(text: string): JsonObject | undefined {
  try {
    return jsonObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * A text, even one without its end; a comma before a bracket; a colon without a value; a bare word. Each alternative
 * matches at its first character or not at all, so that no character is examined again.
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|,(?=\s*[}\]])|:(?=\s*[,}\]])|[^\s",:{}[\]]+/g;
const JSON_SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none in a text, and some programs send them
const CONTROL = /[\u0000-\u001f]/g;
/** Pairs of backslashes are matched first, so that the second of a pair begins no escape. */
const BACKSLASH = /\\\\|\\(?!["/bfnrt]|u[0-9a-fA-F]{4})/g;

function escaped(text: string): string {
  return text
    .replace(BACKSLASH, '\\\\')
    .replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
