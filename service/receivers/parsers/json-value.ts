/** A JSON object as it was received: nothing in it can be relied upon. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** @returns `undefined` if the message is no JSON object */
export function parseJsonObject(message: string | Uint8Array): JsonObject | undefined {
  try {
    return jsonObject(JSON.parse(textOf(message)));
  } catch {
    return undefined;
  }
}

export function jsonObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The number, if it is one within these bounds, inclusive; else null: text that looks like a number is none. */
export function numberWithin(value: unknown, min: number, max: number): number | null {
  return typeof value === 'number' && value >= min && value <= max ? value : null;
}

const decoder = new TextDecoder();

export function textOf(message: string | Uint8Array): string {
  return typeof message === 'string' ? message : decoder.decode(message);
}
