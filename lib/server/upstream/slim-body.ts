import 'server-only';

/** Of the contract's fields, and `reception`, with its list. `{}` replaces every other value that is no primitive. */
export type SlimBody =
  | { readonly kind: 'slim'; readonly json: unknown }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'not-json'; readonly beginsLikeJson: boolean };

export interface SlimTerms {
  readonly limit: number;
  readonly envelopeFields: readonly string[];
  readonly recordFields: readonly string[];
  /** Of `reception`. */
  readonly maxStretches: number;
  /** Of all values together. */
  readonly maxCharacters: number;
  /** Commas and opening brackets bound how many values JSON.parse makes. */
  readonly maxTokens: number;
}

/** Runs in a worker, as its source text: must refer to nothing outside itself. */
export function slimBody(body: Uint8Array, terms: SlimTerms): SlimBody {
  const { limit, envelopeFields, recordFields, maxStretches, maxCharacters, maxTokens } = terms;
  let tokens = 0;
  for (const byte of body) {
    // , [ {
    if ((byte === 0x2c || byte === 0x5b || byte === 0x7b) && ++tokens > maxTokens) return { kind: 'too-large' };
  }
  const text = new TextDecoder().decode(body);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'not-json', beginsLikeJson: /^\s*\{/.test(text.slice(0, 100)) };
  }
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  let characters = 0;
  const picked = (from: Record<string, unknown>, names: readonly string[]) => {
    const to: Record<string, unknown> = {};
    for (const name of names) {
      if (!Object.hasOwn(from, name)) continue;
      const value = from[name];
      if (typeof value === 'string') characters += value.length;
      to[name] = typeof value === 'object' && value !== null ? {} : value;
    }
    return to;
  };
  if (!isObject(json)) return { kind: 'slim', json: null };
  const slim = picked(json, envelopeFields);
  if (isObject(json.reception)) {
    const { stretches } = json.reception;
    const reception = picked(json.reception, ['state', 'since', 'receivers', 'receiving']);
    if (Array.isArray(stretches) && stretches.length <= maxStretches)
      reception.stretches = stretches.map((each: unknown) =>
        isObject(each) ? picked(each, ['from', 'to', 'state']) : null,
      );
    slim.reception = reception;
  }
  if (Array.isArray(json.data)) {
    if (json.data.length > limit) return { kind: 'too-large' };
    slim.data = json.data.map((record: unknown) => (isObject(record) ? picked(record, recordFields) : null));
  }
  return characters > maxCharacters ? { kind: 'too-large' } : { kind: 'slim', json: slim };
}
