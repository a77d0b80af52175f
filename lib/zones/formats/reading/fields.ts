/** Fields of an object in a file. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The beginning of a value, for a problem. */
export function shown(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, 60);
}

/** A text or a number as text; empty for anything else, whose own `toString` could be anything. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
