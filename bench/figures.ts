import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/** Heap and buffers, after a collection. */
export async function heapMb(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // Buffers are released by a later task.
  await setImmediate();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}
