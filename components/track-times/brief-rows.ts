/**
 * Rows with a value whose run of values spans less than `leastMs`: a line through them would hardly be seen, or there is
 * none, as where a run is a single row. A run is what no `null` parts.
 */
export function briefRows(
  atMs: ArrayLike<number>,
  values: ArrayLike<number | null | undefined>,
  leastMs: number,
): number[] {
  const brief: number[] = [];
  for (let first = 0; first < values.length; first++) {
    if (isBreak(values[first])) continue;
    let last = first;
    while (last + 1 < values.length && !isBreak(values[last + 1])) last++;
    if ((atMs[last] as number) - (atMs[first] as number) < leastMs) {
      for (let row = first; row <= last; row++) brief.push(row);
    }
    first = last;
  }
  return brief;
}

function isBreak(value: number | null | undefined): boolean {
  return value === null || value === undefined;
}
