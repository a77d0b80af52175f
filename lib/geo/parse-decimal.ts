const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

/** At most 32 characters, no exponent, no spaces. */
export function parseDecimal(text: string): number | undefined {
  return text.length <= 32 && decimal.test(text) ? Number(text) : undefined;
}
