import { pacingFigures } from '#testing/pacing/pacing-figures.ts';
import { spread } from './spread.ts';

const DAYS = 10_000;
const FIRST_SEED = 1;
const COMPARE_EVERY = 5;
const GOAL_USED = 0.94;

/**
 * Whole days of random accounts and viewers in simulated time: what is spent, what is left, and how old pictures are.
 */
export async function pacing(): Promise<object> {
  const startedMs = performance.now();
  const { alone, shared, used, ageRatios } = await pacingFigures(DAYS, FIRST_SEED, COMPARE_EVERY);
  const usedMean = mean(used);
  const ratioMean = mean(ageRatios);
  return {
    what:
      'the real ledger and pacing rules with a small scheduler, against an upstream with latency, reordering, faults and restarts; ' +
      'day allowances 100 to 50,000 (density falls as size^-1.5), minute 5 to 600 (log-uniform), 1 to 24 areas of cost 1 to 5 ' +
      'with 1 to 200 viewers',
    goal: { overspent_alone: 0, used_mean: GOAL_USED, age_ratio: 'below 1' },
    reached: alone.overspent === 0 && usedMean >= GOAL_USED && ratioMean < 1,
    days: Math.round(alone.days + shared.days),
    requests: alone.requests + shared.requests,
    alone: { ...alone, days: Math.round(alone.days) },
    // Another consumer can use up the account's last requests between an answer and our next request.
    with_another_consumer: {
      ...shared,
      days: Math.round(shared.days),
      overspent_per_1000: round((1000 * shared.overspent) / shared.requests),
    },
    used_of_day_under_all_day_demand: {
      days: used.length,
      mean: round(usedMean),
      worst: round(Math.min(...used)),
      part_of_days_below_goal: round(used.filter((part) => part < GOAL_USED).length / used.length),
    },
    mean_age_over_equal_intervals: {
      runs: ageRatios.length,
      mean: round(ratioMean),
      ...spread(ageRatios),
      part_of_runs_older: round(ageRatios.filter((ratio) => ratio > 1).length / ageRatios.length),
    },
    took_s: Math.round((performance.now() - startedMs) / 1000),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
