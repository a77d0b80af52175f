import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '#testing/cpu-ms.ts';
import { fairIntervals, type SharedArea } from './fair-intervals.ts';
import { fairShares, sharesIfUnlimited } from './fair-shares.ts';
import { operatorShares } from './operator-shares.ts';
import { PACE_LIMITS } from './pace-limits.ts';
import { refreshIntervals } from './refresh-intervals.ts';

const amount = fc.double({ min: 0, max: 50, noNaN: true });
const rate = fc.double({ min: 0.001, max: 20, noNaN: true });
const operators = ['a', 'b', 'c', 'd', 'e'] as const;

/** Up to 12 areas, each with views of some operators. */
const areas = fc.array(
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

const sum = (values: Iterable<number>) => Iterator.from(values).reduce((total, value) => total + value, 0);
const spent = (shared: readonly SharedArea[], intervals: readonly number[]) =>
  sum(shared.map(({ cost }, index) => (1000 * cost) / (intervals[index] ?? Number.NaN)));
const equalShares = (ratePerS: number) => new Map(operators.map((operator) => [operator as string, ratePerS / 5]));

describe('fairShares', () => {
  test('give all of the total unless nobody wants more, and nobody more than they want or less than an equal share', () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 20 }), rate, (wants, total) => {
        const shares = fairShares(wants, total);
        expect(sum(shares)).toBeCloseTo(Math.min(total, sum(wants)), 6);
        for (const [index, share] of shares.entries()) {
          const want = wants[index] ?? Number.NaN;
          expect(share).toBeLessThanOrEqual(want);
          expect(share).toBeGreaterThanOrEqual(Math.min(want, total / wants.length) - 1e-9);
        }
      }),
    );
  });
});

describe('sharesIfUnlimited', () => {
  const want = fc.oneof(amount, fc.constantFrom(0, 1, 2, Number.POSITIVE_INFINITY));

  test('are what fairShares give to each one who wants all that there is', () => {
    fc.assert(
      fc.property(fc.array(want, { maxLength: 20 }), fc.oneof(rate, fc.constant(0)), (wants, total) => {
        const shares = sharesIfUnlimited(wants, total);
        expect(shares).toHaveLength(wants.length);
        for (const [index, share] of shares.entries()) {
          const unlimited = wants.with(index, Number.POSITIVE_INFINITY);
          expect(share).toBeCloseTo(fairShares(unlimited, total)[index] ?? Number.NaN, 9);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('of two thousand take milliseconds, since they are divided in every generation', () => {
    const wants = Array.from({ length: 2000 }, (_, index) => (index * 7919) % 1000);
    expect(cpuMs(() => sharesIfUnlimited(wants, 200_000))).toBeLessThan(100);
  });
});

describe('operatorShares', () => {
  const wanted = fc.uniqueArray(fc.tuple(fc.constantFrom(...operators), amount), {
    minLength: 2,
    selector: ([operator]) => operator,
  });

  test('together never exceed the rate, new places included, whoever opens some', () => {
    fc.assert(
      fc.property(
        rate,
        wanted,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(5),
        (ratePerS, wants, part, many) => {
          const owing = new Map(wants.slice(0, many).map(([operator]) => [operator as string, part]));
          const shares = operatorShares(ratePerS, new Map(wants), owing);
          const used = [...shares].map(
            ([name, { refreshes, newPlaces }]) => refreshes + (owing.has(name) ? newPlaces : 0),
          );
          expect(sum(used)).toBeLessThanOrEqual(ratePerS * (1 + 1e-9));
        },
      ),
    );
  });

  test('who opens new places takes less than an equal part, and leaves the others at least theirs', () => {
    fc.assert(
      fc.property(rate, wanted, (ratePerS, wants) => {
        const [greedy] = wants[0] ?? [];
        const shares = operatorShares(ratePerS, new Map(wants), new Map([[greedy ?? '', 1]]));
        for (const [name, want] of wants) {
          const share = shares.get(name);
          if (name === greedy) continue;
          expect(share?.refreshes).toBeGreaterThanOrEqual(Math.min(want, ratePerS / wants.length) - 1e-9);
        }
        const unlimited = new Map([...wants.map(([name]) => [name, Number.POSITIVE_INFINITY] as const)]);
        const all = operatorShares(ratePerS, unlimited, new Map([[greedy ?? '', 1]]));
        const his = all.get(greedy ?? '');
        expect((his?.newPlaces ?? 0) + (his?.refreshes ?? 0)).toBeLessThan(ratePerS / wants.length);
      }),
    );
  });
});

describe('fairIntervals', () => {
  test('spend the shares and no more, unless every area is at the minimum', () => {
    fc.assert(
      fc.property(areas, rate, (shared, ratePerS) => {
        const looking = new Set(shared.flatMap(({ views }) => [...views.keys()]));
        const shares = new Map([...looking].map((operator) => [operator, ratePerS / looking.size]));
        const intervals = fairIntervals(shared, shares, PACE_LIMITS);
        for (const interval of intervals) expect(interval).toBeGreaterThanOrEqual(PACE_LIMITS.minMs);
        const all = spent(shared, intervals);
        expect(all).toBeLessThanOrEqual(ratePerS * (1 + 1e-6));
        if (intervals.some((interval) => interval > PACE_LIMITS.minMs * 1.000001)) {
          expect(all).toBeGreaterThanOrEqual(ratePerS * (1 - 1e-6));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('of one operator are those of the square-root rule', () => {
    fc.assert(
      fc.property(areas, rate, (shared, ratePerS) => {
        const own = shared.map(({ cost, views }) => ({ cost, views: new Map([['a', sum(views.values())]]) }));
        const expected = refreshIntervals(
          own.map(({ cost, views }) => ({ cost, viewers: views.get('a') ?? 0 })),
          ratePerS,
          PACE_LIMITS,
        );
        const intervals = fairIntervals(own, new Map([['a', ratePerS]]), PACE_LIMITS);
        for (const [index, interval] of intervals.entries())
          expect(interval / (expected[index] ?? 0)).toBeCloseTo(1, 9);
      }),
    );
  });

  test('nothing that an operator looks at is older than it would be with an equal part of the account alone, however much others look at', () => {
    fc.assert(
      fc.property(areas, rate, (shared, ratePerS) => {
        const intervals = fairIntervals(shared, equalShares(ratePerS), PACE_LIMITS);
        for (const operator of operators) {
          const own = shared.flatMap(({ cost, views }, index) =>
            views.has(operator) ? [{ cost, viewers: views.get(operator) ?? 0, index }] : [],
          );
          const alone = refreshIntervals(own, ratePerS / 5, PACE_LIMITS);
          for (const [place, { index }] of own.entries())
            expect(intervals[index]).toBeLessThanOrEqual((alone[place] ?? 0) * (1 + 1e-6));
        }
      }),
      {
        numRuns: 500,
        examples: [
          // What nobody else uses would keep the maximum for the first, at the cost of the second.
          [
            [
              { cost: 5, views: new Map([...'acde'].map((operator) => [operator, 1])) },
              { cost: 1, views: new Map([['a', 5]]) },
            ],
            0.199,
          ],
        ],
      },
    );
  });
});
