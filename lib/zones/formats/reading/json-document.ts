/** Formats need 20 levels. Millions of levels take a browser half a minute. */
const DEPTH_MAX = 40;

export type JsonReading = { readonly value: unknown } | { readonly problem: string };

/** Limits nesting, so that recursion can't overflow. */
export function readJson(text: string): JsonReading {
  if (isTooDeep(text)) return { problem: `has lists within lists, more than ${DEPTH_MAX} levels deep` };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `is no valid JSON, or is cut short: ${(error as Error).message.slice(0, 200)}` };
  }
}

function isTooDeep(text: string): boolean {
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
      if (depth > DEPTH_MAX) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

const [BACKSLASH, QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5c, 0x22, 0x5b, 0x5d, 0x7b, 0x7d];
