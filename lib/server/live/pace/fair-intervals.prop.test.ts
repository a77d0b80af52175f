import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '#testing/cpu-ms.ts';
import { fairIntervals, type SharedArea } from './refresh-pace.ts';

const MIN_MS = 1000;
const rate = fc.double({ min: 0.001, max: 20, noNaN: true });
const operators = ['a', 'b', 'c', 'd', 'e'] as const;

const areas: fc.Arbitrary<readonly SharedArea[]> = fc.array(
  fc.record({
    cost: fc.integer({ min: 1, max: 5 }),
    views: fc
      .uniqueArray(fc.tuple(fc.constantFrom(...operators), fc.integer({ min: 1, max: 8 })), {
        minLength: 1,
        selector: ([operator]) => operator,
      })
      .map((views): ReadonlyMap<string, number> => new Map(views)),
  }),
  { minLength: 1, maxLength: 12 },
);

const alike = () => 1;
const minMs = () => MIN_MS;
/** Areas of `e` alone are not read more often than this. */
const slowest = ({ views }: SharedArea) => (views.size === 1 && views.has('e') ? 5 * MIN_MS : MIN_MS);
const operatorsOf = (shared: readonly SharedArea[]) => new Set(shared.flatMap(({ views }) => [...views.keys()]));
const area = (cost: number, ...names: string[]): SharedArea => ({
  cost,
  views: new Map(names.map((name) => [name, 1])),
});

describe('fairIntervals', () => {
  test('spend the rate and no more, unless every area is at the shortest interval', () => {
    fc.assert(
      fc.property(areas, rate, (shared, ratePerS) => {
        const intervals = fairIntervals(shared, ratePerS, alike, slowest);
        for (const [index, each] of shared.entries()) expect(intervals[index]).toBeGreaterThanOrEqual(slowest(each));
        const spent = shared.reduce((sum, { cost }, index) => sum + (1000 * cost) / (intervals[index] as number), 0);
        expect(spent).toBeLessThanOrEqual(ratePerS * (1 + 1e-6));
        if (shared.some((each, index) => (intervals[index] as number) > slowest(each) * 1.000001))
          expect(spent).toBeGreaterThanOrEqual(ratePerS * (1 - 1e-6));
      }),
      { numRuns: 500 },
    );
  });

  test('refresh nothing less often than an equal part of the rate alone would, however much other operators look at', () => {
    fc.assert(
      fc.property(areas, rate, (shared, ratePerS) => {
        const intervals = fairIntervals(shared, ratePerS, alike, slowest);
        const names = operatorsOf(shared);
        for (const operator of names) {
          const own = shared.flatMap((each, index) => (each.views.has(operator) ? [{ ...each, index }] : []));
          const requests = own.reduce((sum, { cost }) => sum + cost, 0);
          const alone = Math.max(MIN_MS, (1000 * requests) / (ratePerS / names.size));
          for (const { index, ...each } of own)
            expect(intervals[index]).toBeLessThanOrEqual(Math.max(slowest(each), alone) * (1 + 1e-6));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('one operator’s areas are refreshed equally often, whatever they cost', () => {
    expect(fairIntervals([area(1, 'a'), area(4, 'a')], 1, alike, minMs)).toEqual([5000, 5000]);
  });

  test('an area of two operators is refreshed from both shares', () => {
    const [own, both] = fairIntervals([area(1, 'a'), area(1, 'a', 'b')], 0.3, alike, minMs) as [number, number];
    expect(own / both).toBeCloseTo(3, 9);
  });

  test('the rate that an area at the shortest interval leaves goes to the others', () => {
    const [fast, slow] = fairIntervals([area(1, 'a'), area(10, 'b')], 6, alike, minMs);
    expect(fast).toBe(MIN_MS);
    expect(slow).toBeCloseTo(2000, 6);
  });

  test('follow the weights of the operators', () => {
    const weightOf = (operator: string) => (operator === 'a' ? 0.4 : 1);
    const [a, b] = fairIntervals([area(1, 'a'), area(1, 'b')], 0.14, weightOf, minMs);
    expect(a).toBeCloseTo(25_000, 6);
    expect(b).toBeCloseTo(10_000, 6);
  });

  test('are infinite at a rate of 0', () => {
    expect(fairIntervals([area(1, 'a')], 0, alike, minMs)).toEqual([Number.POSITIVE_INFINITY]);
    expect(fairIntervals([], 0, alike, minMs)).toEqual([]);
  });

  test('of two thousand areas take milliseconds, since each generation sets them', () => {
    const many = Array.from({ length: 2000 }, (_, index) => area(1 + (index % 3), `${index % 500}`, `${index % 7}`));
    expect(cpuMs(() => fairIntervals(many, 20, alike, minMs))).toBeLessThan(100);
  });
});
