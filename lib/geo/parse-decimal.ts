const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

/** Accepts at most 32 characters, without exponent and spaces. */
export function parseDecimal(text: string): number | undefined {
  return text.length <= 32 && decimal.test(text) ? Number(text) : undefined;
}
