export interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

/** @param values at least one */
export function spread(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), p95: quantile(values, 0.95), max: quantile(values, 1) };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return rounded(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

export function rounded(value: number, decimals = 2): number {
  return Number(value.toFixed(decimals));
}

/** @returns the result, and this thread's processor time in ms */
export function timed<Result>(work: () => Result): readonly [Result, number] {
  const before = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(before);
  return [result, (user + system) / 1000];
}
