/**
 * Uniform in [0, 1), stateless. Only 32 bits of integers count. MurmurHash3's finaliser (public domain, A. Appleby).
 */
export function seededUnit(seed: number, a: number, b = 0, c = 0): number {
  return (mix(mix(mix(mix(seed | 0) ^ a) ^ b) ^ c) >>> 0) / 2 ** 32;
}

/** A 32-bit hash, as a seed. */
export function seededKey(seed: number, a: number, b: number): number {
  return mix(mix(mix(seed | 0) ^ a) ^ b);
}

/** Results depend on the order of calls. */
export interface Dice {
  between(low: number, high: number): number;
  /** Draws from both ends and all between them. */
  integer(low: number, high: number): number;
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
