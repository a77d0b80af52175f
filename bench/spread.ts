export interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

/** Median, 95th percentile and maximum of at least one value, rounded to a hundredth. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round((sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN) * 100) / 100;
  return { median: at(0.5), p95: at(0.95), max: at(1) };
}
