const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

/** Parses a plain decimal number of at most 32 characters, without exponent or spaces. `undefined` for anything else. */
export function parseDecimal(text: string): number | undefined {
  return text.length <= 32 && decimal.test(text) ? Number(text) : undefined;
}
