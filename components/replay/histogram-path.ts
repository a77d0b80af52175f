/**
 * The outline of a histogram for an SVG path, in a box of `counts.length` by 1, the baseline at 1. Heights are in proportion
 * to the square root of the counts, so that a few observations beside many are still seen; a bin that has any is never
 * lower than `minHeight`. Empty bins draw nothing.
 */
export function histogramPath(counts: Uint32Array, minHeight = 0.12): string {
  const most = counts.reduce((highest, count) => Math.max(highest, count), 0);
  if (most === 0) return '';
  const parts: string[] = [];
  for (const [bin, count] of counts.entries()) {
    if (count === 0) continue;
    const height = Math.max(minHeight, Math.sqrt(count / most));
    parts.push(`M${bin} 1V${(1 - height).toFixed(3)}h0.8V1Z`);
  }
  return parts.join('');
}

/** Fewer bins, each the sum of `by` of them in a row; the last one may be of fewer. */
export function coarser(counts: Uint32Array, by: number): Uint32Array {
  const sums = new Uint32Array(Math.ceil(counts.length / by));
  for (const [bin, count] of counts.entries()) {
    const to = Math.floor(bin / by);
    sums[to] = (sums[to] as number) + count;
  }
  return sums;
}
