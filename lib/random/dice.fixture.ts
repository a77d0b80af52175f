import { seededUnit } from './seeded-random.ts';

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
