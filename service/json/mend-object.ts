export type JsonObject = Readonly<Record<string, unknown>>;

export interface MendedObject {
  readonly object: JsonObject;
  /** Fields whose value is no JSON; each is null. */
  readonly unusable: readonly string[];
}

/** The longest records in the field have 2 KiB. */
const LENGTH_MAX = 64 * 1024;

const NONE: readonly string[] = [];

/**
 * Mends an object in linear time. Of invalid JSON, every sound value is kept, and none is guessed (jsonrepair 3.15
 * completes cut texts and numbers):
 * - A bare word such as `nan`, or a missing value, becomes null.
 * - Raw control characters and stray backslashes in texts are kept.
 * - A comma before the end is dropped.
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

export function jsonObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function objectOf(text: string): JsonObject | undefined {
  try {
    return jsonObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * A token of JSON, also a text without its end. Alternatives match at their first character or not at all, which keeps
 * the time linear.
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|,(?=\s*[}\]])|:(?=\s*[,}\]])|[^\s",:{}[\]]+/g;
const JSON_SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none in a text, and some programs send them
const CONTROL = /[\u0000-\u001f]/g;
/** Pairs come first, so that the second backslash of a pair begins no escape. */
const BACKSLASH = /\\\\|\\(?!["/bfnrt]|u[0-9a-fA-F]{4})/g;

function escaped(text: string): string {
  return text
    .replace(BACKSLASH, '\\\\')
    .replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
