import { epochMs, msBetween } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { randomScenario, type Scenario } from './scenario.ts';
import { type SimulatedDays, simulate } from './simulate.ts';
import { equalRule, squareRootRule } from './simulated-server.ts';

interface Overspending {
  readonly days: number;
  readonly requests: number;
  /** Our requests that the upstream refused because the account was empty. */
  readonly overspent: number;
}

export interface PacingFigures {
  /** Runs as the account's only consumer. */
  readonly alone: Overspending;
  /** Runs with another consumer of the same account, at unpredictable times. */
  readonly shared: Overspending;
  /**
   * Share of the day's allowance used, for each whole day with viewers at all times, no other consumer, and neither the
   * minute's allowance nor the minimum interval as the limiting factor.
   */
  readonly used: readonly number[];
  /** For each compared run: mean age for viewers under the square-root rule, over that under equal intervals. */
  readonly ageRatios: readonly number[];
}

const DAYS_PER_RUN = 4;
/** The minutes and the intervals must allow this many times the day's allowance, or they may be the limiting factor. */
const PLENTY = 1.2;

/**
 * Runs random days, from a random time of the first to the midnight after the fourth, until that many days have passed.
 * @param compareEvery one run in this many is repeated with equal intervals
 */
export async function pacingFigures(days: number, firstSeed: number, compareEvery: number): Promise<PacingFigures> {
  const alone = { days: 0, requests: 0, overspent: 0 };
  const shared = { days: 0, requests: 0, overspent: 0 };
  const used: number[] = [];
  const ageRatios: number[] = [];
  for (let run = 0; alone.days + shared.days < days; run++) {
    const scenario = randomScenario(firstSeed + run, DAYS_PER_RUN);
    const passed = await simulate(scenario, squareRootRule);
    const sums = scenario.othersPerDay > 0 ? shared : alone;
    sums.days += msBetween(scenario.startAt, scenario.endAt) / DAY_MS;
    sums.overspent += passed.overspent;
    for (const counted of passed.countedByDay.values()) sums.requests += counted;
    if (isDayLimiting(scenario)) used.push(...usedOfWholeDays(scenario, passed));
    if (run % compareEvery === 0 && passed.meanAgeMs > 0) {
      ageRatios.push(passed.meanAgeMs / (await simulate(scenario, equalRule)).meanAgeMs);
    }
  }
  return { alone, shared, used, ageRatios };
}

/** Whether the day's allowance is the limiting factor. The first area has viewers at all times of an all-day scenario. */
export function isDayLimiting({ allDay, othersPerDay, perMinute, perDay, costs }: Scenario): boolean {
  const byMinutes = Math.floor(0.9 * perMinute) * 60 * 24;
  const byIntervals = ((costs[0] as number) * DAY_MS) / 5000;
  return allDay && othersPerDay === 0 && Math.min(byMinutes, byIntervals) >= PLENTY * perDay;
}

export function usedOfWholeDays(
  { startAt, endAt, perDay }: Scenario,
  { countedByDay }: Pick<SimulatedDays, 'countedByDay'>,
): number[] {
  const first = Math.floor(epochMs(startAt) / DAY_MS) + 1;
  return Array.from(
    { length: epochMs(endAt) / DAY_MS - first },
    (_, index) => (countedByDay.get(first + index) ?? 0) / perDay,
  );
}
