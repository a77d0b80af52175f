import 'server-only';
import { fairShares } from './fair-shares.ts';
import type { PaceLimits } from './pace-limits.ts';
import { refreshIntervals } from './refresh-intervals.ts';

/** An area, and who looks at it. */
export interface SharedArea {
  /** Requests per refresh, more than 0. */
  readonly cost: number;
  /** How many views each operator has of it; not empty. */
  readonly views: ReadonlyMap<string, number>;
}

/** Relative; where an area is this close to the minimum, it is there. */
const ROUNDING = 1e-9;

/**
 * How often to refresh each area, in milliseconds. Each operator's share is spent on what the operator looks at, as `refreshIntervals`
 * says; what several operators look at is refreshed from all of their shares, and so more often. What an area at the minimum interval
 * does not use goes back to those who look at it, and what they cannot use to the others. With what they get so, no area is refreshed
 * more rarely than with their own share alone, although `refreshIntervals` would sometimes: to keep the maximum everywhere, it takes from the rest.
 * @param shares requests per second of each operator, at least 0
 */
export function fairIntervals(
  areas: readonly SharedArea[],
  shares: ReadonlyMap<string, number>,
  limits: PaceLimits,
): number[] {
  const perS = 1000 / limits.minMs;
  const intervals = areas.map(() => Number.POSITIVE_INFINITY);
  const paid = new Map([...shares.keys()].map((operator) => [operator, 0]));
  let open = areas.map((area, index) => ({ ...area, index }));
  const alone = new Map(
    [...shares].map(([operator, share]) => [operator, ratesOf(operator, open, share, limits)] as const),
  );
  while (open.length > 0) {
    const budgets = budgetsLeft(open, shares, paid, perS);
    const given = new Map<number, Map<string, number>>();
    for (const [operator, budget] of budgets) {
      const wished = ratesOf(operator, open, budget, limits);
      for (const [index, rate] of raisedTo(wished, alone.get(operator), areas)) {
        given.set(index, (given.get(index) ?? new Map()).set(operator, rate));
      }
    }
    const rest: typeof open = [];
    let isSomeLeft = false;
    for (const area of open) {
      const by = given.get(area.index) ?? new Map<string, number>();
      const rate = sum(by.values());
      intervals[area.index] = Math.max(limits.minMs, 1000 / rate);
      if (rate < perS * (1 - ROUNDING)) {
        rest.push(area);
        continue;
      }
      isSomeLeft ||= rate > perS * (1 + ROUNDING);
      for (const [operator, each] of by) {
        paid.set(operator, (paid.get(operator) ?? 0) + (area.cost * perS * each) / rate);
      }
    }
    if (!isSomeLeft) break;
    open = rest;
  }
  return intervals;
}

interface IndexedArea extends SharedArea {
  readonly index: number;
}

/** Refreshes per second, by the index of the area. */
type Rates = ReadonlyMap<number, number>;

/** What the square-root rule makes of a budget, in requests per second, for the areas that the operator looks at. */
function ratesOf(operator: string, areas: readonly IndexedArea[], budget: number, limits: PaceLimits): Rates {
  const own = areas.filter(({ views }) => views.has(operator));
  const wanted = own.map(({ cost, views }) => ({ cost, viewers: views.get(operator) ?? 1 }));
  const intervals = refreshIntervals(wanted, budget, limits);
  return new Map(own.map(({ index }, place) => [index, 1000 / (intervals[place] as number)]));
}

/**
 * Rates that cost as much as the wished ones, and are nowhere below the floor, as long as that can be paid: those that rise do so in
 * proportion to what they lack.
 */
function raisedTo(wished: Rates, floor: Rates | undefined, areas: readonly SharedArea[]): Rates {
  const atFloor = new Map([...wished.keys()].map((index) => [index, floor?.get(index) ?? 0]));
  const lacking = new Map([...atFloor].map(([index, rate]) => [index, Math.max(0, (wished.get(index) ?? 0) - rate)]));
  const price = (rates: Rates) => sum(Iterator.from(rates).map(([index, rate]) => rate * (areas[index]?.cost ?? 0)));
  const left = price(wished) - price(atFloor);
  if (left <= 0) return wished;
  const part = left / price(lacking);
  return new Map([...atFloor].map(([index, rate]) => [index, rate + part * (lacking.get(index) ?? 0)]));
}

/** What each operator with open areas has for them: the own share, and a part of what others cannot use. */
function budgetsLeft(
  open: readonly SharedArea[],
  shares: ReadonlyMap<string, number>,
  paid: ReadonlyMap<string, number>,
  perS: number,
): ReadonlyMap<string, number> {
  const wants = new Map<string, number>();
  for (const { cost, views } of open) {
    for (const operator of views.keys()) wants.set(operator, (wants.get(operator) ?? 0) + cost * perS);
  }
  const budgets = new Map<string, number>();
  for (const [operator, want] of wants) {
    budgets.set(operator, Math.min(want, Math.max(0, (shares.get(operator) ?? 0) - (paid.get(operator) ?? 0))));
  }
  const left = sum(shares.values()) - sum(paid.values());
  const unused = Math.max(0, left - sum(budgets.values()));
  const more = fairShares(
    [...budgets].map(([operator, budget]) => (wants.get(operator) ?? 0) - budget),
    unused,
  );
  for (const [index, [operator, budget]] of [...budgets].entries()) budgets.set(operator, budget + (more[index] ?? 0));
  return budgets;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
