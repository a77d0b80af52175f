/**
 * A histogram as an SVG path, in a box `counts.length` wide and 1 high, with the baseline at y = 1. Heights are proportional to the
 * square root of the counts, so that a few observations beside many stay visible; a non-empty bin is at least `minHeight` high.
 * Empty bins draw nothing.
 */
export function histogramPath(counts: Uint32Array, minHeight = 0.12): string {
  const maxCount = counts.reduce((highest, count) => Math.max(highest, count), 0);
  if (maxCount === 0) return '';
  const parts: string[] = [];
  for (const [bin, count] of counts.entries()) {
    if (count === 0) continue;
    const height = Math.max(minHeight, Math.sqrt(count / maxCount));
    parts.push(`M${bin} 1V${(1 - height).toFixed(3)}h0.8V1Z`);
  }
  return parts.join('');
}

/** Sums each `by` consecutive bins into one; the last may cover fewer. */
export function coarser(counts: Uint32Array, by: number): Uint32Array {
  const sums = new Uint32Array(Math.ceil(counts.length / by));
  for (const [bin, count] of counts.entries()) {
    const to = Math.floor(bin / by);
    sums[to] = (sums[to] as number) + count;
  }
  return sums;
}
