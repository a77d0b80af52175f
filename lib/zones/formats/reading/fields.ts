export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function shown(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, 60);
}

/** Empty for objects, whose `toString` is untrusted. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
