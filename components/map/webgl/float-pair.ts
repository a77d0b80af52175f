/** The nearest float and the rest. For 0…1 the error is below 2⁻⁴⁹: under a millionth of a pixel at zoom 20. */
export function floatHigh(value: number): number {
  return Math.fround(value);
}

export function floatLow(value: number): number {
  return Math.fround(value - Math.fround(value));
}
