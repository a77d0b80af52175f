/** By UTF-16 code units: the same on any machine, whatever its language. */
export function textOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
