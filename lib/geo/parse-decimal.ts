const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

/** A plain decimal number of at most 32 characters: no exponent, no space, nothing that is not finite. `undefined` for anything else. */
export function parseDecimal(text: string): number | undefined {
  return text.length <= 32 && decimal.test(text) ? Number(text) : undefined;
}
