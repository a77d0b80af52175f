/**
 * The wait before the next attempt: doubles with each failure in a row.
 * @param failures at least 1
 */
export function backOffMs(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}
