import { epochMs, msBetween } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { randomScenario, type Scenario } from './scenario.ts';
import { type SimulatedDays, simulate } from './simulate.ts';
import { equalRule, squareRootRule } from './simulated-server.ts';

interface Overspending {
  readonly days: number;
  readonly requests: number;
  /** Requests of ours that the upstream refused because the account was empty. */
  readonly overspent: number;
}

export interface PacingFigures {
  /** Nobody else on the account. */
  readonly alone: Overspending;
  /** Somebody else spends from the same account, and nobody can know when. */
  readonly shared: Overspending;
  /**
   * Part of the day's allowance that was used on whole days on which somebody watched at every moment, nobody else was on
   * the account, and neither the minute's allowance nor the shortest interval kept us from using it.
   */
  readonly used: readonly number[];
  /** For each run that was compared: viewers' mean age under the square-root rule over that under equal intervals. */
  readonly ageRatios: readonly number[];
}

const DAYS_PER_RUN = 4;
/** So much more than the day's allowance has to fit through the minutes and the intervals, or they may be what binds. */
const PLENTY = 1.2;

/**
 * Runs of random days, from a random time of the first to the midnight after the fourth, until that many days have passed.
 * @param compareEvery every such run is run once more with equal intervals
 */
export function pacingFigures(days: number, firstSeed: number, compareEvery: number): PacingFigures {
  const alone = { days: 0, requests: 0, overspent: 0 };
  const shared = { days: 0, requests: 0, overspent: 0 };
  const used: number[] = [];
  const ageRatios: number[] = [];
  for (let run = 0; alone.days + shared.days < days; run++) {
    const scenario = randomScenario(firstSeed + run, DAYS_PER_RUN);
    const passed = simulate(scenario, squareRootRule);
    const sums = scenario.othersPerDay > 0 ? shared : alone;
    sums.days += msBetween(scenario.startAt, scenario.endAt) / DAY_MS;
    sums.overspent += passed.overspent;
    for (const counted of passed.countedByDay.values()) sums.requests += counted;
    if (isDayWhatBinds(scenario)) used.push(...usedOfWholeDays(scenario, passed));
    if (run % compareEvery === 0 && passed.meanAgeMs > 0) {
      ageRatios.push(passed.meanAgeMs / simulate(scenario, equalRule).meanAgeMs);
    }
  }
  return { alone, shared, used, ageRatios };
}

/** The first area is watched at every moment of an all-day scenario. */
function isDayWhatBinds({ allDay, othersPerDay, perMinute, perDay, costs }: Scenario): boolean {
  const byMinutes = Math.floor(0.9 * perMinute) * 60 * 24;
  const byIntervals = ((costs[0] as number) * DAY_MS) / 5000;
  return allDay && othersPerDay === 0 && Math.min(byMinutes, byIntervals) >= PLENTY * perDay;
}

function usedOfWholeDays({ startAt, endAt, perDay }: Scenario, { countedByDay }: SimulatedDays): number[] {
  const first = Math.floor(epochMs(startAt) / DAY_MS) + 1;
  return Array.from(
    { length: epochMs(endAt) / DAY_MS - first },
    (_, index) => (countedByDay.get(first + index) ?? 0) / perDay,
  );
}
