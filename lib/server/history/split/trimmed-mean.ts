import 'server-only';

export interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** The mean without a part of the weight at either end of the order of values; of at least one value. */
export function trimmedMean(values: readonly Weighted[], trim: number): number {
  const total = values.reduce((sum, { weight }) => sum + weight, 0);
  const [low, high] = [trim * total, (1 - trim) * total];
  let [passed, mean] = [0, 0];
  for (const { value, weight } of values.toSorted((a, b) => a.value - b.value)) {
    mean += value * Math.max(0, Math.min(high, passed + weight) - Math.max(low, passed));
    passed += weight;
  }
  return mean / (high - low);
}
