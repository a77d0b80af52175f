/**
 * A hash of the seed and up to three integers, uniform in [0, 1). It has no state: equal arguments give equal results. Only
 * the lower 32 bits of each integer are used. The mixing function is MurmurHash3's finaliser (public domain, A. Appleby).
 */
export function seededUnit(seed: number, a: number, b = 0, c = 0): number {
  return (mix(mix(mix(mix(seed | 0) ^ a) ^ b) ^ c) >>> 0) / 2 ** 32;
}

/** A 32-bit hash of (seed, a, b), to be used as the seed of whatever that triple identifies. */
export function seededKey(seed: number, a: number, b: number): number {
  return mix(mix(mix(seed | 0) ^ a) ^ b);
}

/** A sequence of uniform random numbers. The results depend on the order of the calls. */
export interface Dice {
  between(low: number, high: number): number;
  /** Both ends included. */
  integer(low: number, high: number): number;
  /** True with the given probability, 0 to 1. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function makeDice(key: number): Dice {
  let throws = 0;
  const unit = () => seededUnit(key, throws++);
  return {
    between: (low, high) => low + (high - low) * unit(),
    integer: (low, high) => low + Math.floor((high - low + 1) * unit()),
    chance: (probability) => unit() < probability,
    pick: (items) => items[Math.floor(items.length * unit())]!,
  };
}

function mix(bits: number): number {
  let h = (bits + 0x9e3779b9) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
