/**
 * Of two equally near, the earlier.
 * @param timesMs ascending, not empty
 */
export function nearestTime(timesMs: Float64Array, atMs: number): number {
  let low = 0;
  let high = timesMs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((timesMs[middle] as number) <= atMs) low = middle;
    else high = middle;
  }
  return atMs - (timesMs[low] as number) <= (timesMs[high] as number) - atMs ? low : high;
}
