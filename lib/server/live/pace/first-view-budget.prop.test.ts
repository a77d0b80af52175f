import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, type LocalInstant, localInstant, msBetween } from '#lib/time/instant.ts';
import { type FirstViewAllowance, FirstViewBudget } from './first-view-budget.ts';

const start = localInstant(Date.UTC(2026, 10, 21, 12));
const rate = fc.double({ min: 0.001, max: 5, noNaN: true });
const costs = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 });
const atOnce = fc.double({ min: 0, max: 30, noNaN: true });
const steady = fc.record({ ratePerS: rate, atOnce }).map((now): FirstViewAllowance => ({ ...now, next: undefined }));

/** Reads each first view when its turn comes. @returns when each was read, and what it was told at first */
function readInTurn(
  budget: FirstViewBudget,
  wanted: readonly number[],
): { at: LocalInstant; announced: LocalInstant }[] {
  const announced = budget.turns(wanted, start);
  let now = start;
  return wanted.map((cost, index) => {
    const [turn] = budget.turns(wanted.slice(index), now);
    if (!turn) throw new Error('with a rate above 0, every turn comes');
    now = turn;
    // As if the clock only ticked whole milliseconds.
    expect(budget.turns([cost], now)).toEqual([now]);
    budget.charge(cost, now);
    return { at: now, announced: announced[index] ?? start };
  });
}

describe('FirstViewBudget', () => {
  test('the seconds that are told are true: each is read exactly then', () => {
    fc.assert(
      fc.property(steady, costs, fc.nat(20), (allowance, wanted, before) => {
        const budget = new FirstViewBudget(allowance, start);
        budget.charge(before, start);
        for (const { at, announced } of readInTurn(budget, wanted)) {
          // Rounded up to milliseconds at each of up to 30 turns.
          expect(Math.abs(msBetween(announced, at))).toBeLessThanOrEqual(30);
        }
      }),
    );
  });

  test('in every period, first views use at most the rate and what may be used at once', () => {
    fc.assert(
      fc.property(steady, costs, (allowance, wanted) => {
        const reads = readInTurn(new FirstViewBudget(allowance, start), wanted);
        for (const [first, { at: from }] of reads.entries()) {
          let used = 0;
          for (let index = first; index < reads.length; index++) {
            used += wanted[index] ?? 0;
            const given = (allowance.ratePerS * msBetween(from, reads[index]?.at ?? from)) / 1000;
            const largest = Math.max(...wanted.slice(first, index + 1));
            expect(used).toBeLessThanOrEqual(given + Math.max(allowance.atOnce, largest) + 1e-3);
          }
        }
      }),
    );
  });

  test('who owes nothing opens one place at once, whatever is left', () => {
    const none = { ratePerS: 0, atOnce: 0, next: undefined };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), (cost) => {
        expect(new FirstViewBudget(none, start).turns([cost, 1], start)).toEqual([start, undefined]);
      }),
    );
  });

  test('what was charged and not made is given back', () => {
    fc.assert(
      fc.property(steady, costs, (allowance, wanted) => {
        const budget = new FirstViewBudget(allowance, start);
        const before = budget.turns(wanted, start);
        budget.charge(7, start);
        budget.giveBack(7, start);
        expect(budget.turns(wanted, start)).toEqual(before);
      }),
    );
  });

  test('a new minute is waited for where it comes sooner, and told', () => {
    const next = { at: addMs(start, 20_000), ratePerS: 0.01, atOnce: 10 };
    const budget = new FirstViewBudget({ ratePerS: 0.01, atOnce: 2, next }, start);
    expect(budget.turns([2, 2, 2], start).map((at) => at && msBetween(start, at))).toEqual([0, 20_000, 20_000]);
    budget.setAllowance({ ratePerS: 0.01, atOnce: 10, next: undefined }, addMs(start, 20_000));
    expect(budget.turns([2, 2, 2], addMs(start, 20_000)).map((at) => at && msBetween(start, at))).toEqual([
      20_000, 20_000, 20_000,
    ]);
  });
});
