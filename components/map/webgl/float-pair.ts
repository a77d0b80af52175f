/**
 * A double as the sum of two single-precision floats: `high` is the nearest float, `low` the rest. For 0…1 the sum is within
 * 2⁻⁴⁹ of the double: less than a millionth of a pixel at zoom 20, where the world is 2²⁹ pixels wide.
 */
export function floatHigh(value: number): number {
  return Math.fround(value);
}

export function floatLow(value: number): number {
  return Math.fround(value - Math.fround(value));
}
