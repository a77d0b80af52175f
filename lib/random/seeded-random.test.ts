import { describe, expect, it } from 'vitest';
import { makeDice } from './dice.fixture.ts';
import { seededKey, seededUnit } from './seeded-random.ts';

describe('seededUnit', () => {
  it('is uniform for consecutive integers in any argument', () => {
    const places: ((n: number) => number)[] = [
      (n) => seededUnit(n, 1),
      (n) => seededUnit(7, n),
      (n) => seededUnit(7, 1, n),
      (n) => seededUnit(7, 1, 1, n),
    ];
    for (const unit of places) {
      const tenths = new Array<number>(10).fill(0);
      for (let n = 0; n < 20_000; n++) tenths[Math.floor(unit(n) * 10)]!++;
      for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(250);
    }
  });

  it('depends on which argument a value is passed as', () => {
    const values = [seededUnit(1, 2, 3, 4), seededUnit(2, 1, 3, 4), seededUnit(1, 3, 2, 4), seededUnit(1, 2, 4, 3)];
    expect(new Set(values).size).toBe(values.length);
    expect(seededKey(1, 2, 3)).not.toBe(seededKey(1, 3, 2));
  });
});

describe('makeDice', () => {
  it('returns the same sequence for the same key', () => {
    const row = () => {
      const dice = makeDice(99);
      return [dice.between(-5, 5), dice.integer(1, 6), dice.chance(0.5), dice.pick(['a', 'b', 'c'])];
    };
    expect(row()).toEqual(row());
  });

  it('returns every integer of a range, including both ends, and no other', () => {
    const dice = makeDice(3);
    expect(new Set(Array.from({ length: 300 }, () => dice.integer(1, 3)))).toEqual(new Set([1, 2, 3]));
  });
});
