import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { Share } from '#testing/virtual-days/fairness.ts';
import type { DaysFigures } from '#testing/virtual-days/run-days.ts';
import { spread } from './spread.ts';

const DAYS = Number(process.env.PACING_DAYS ?? 1000);
/** From a random time of the first day to the midnight after the last one. */
const DAYS_PER_RUN = 3;
const MEAN_DAYS = DAYS_PER_RUN - 0.5;
const FIRST_SEED = 1;
const GOAL = {
  refused: 0,
  overspent_days: 0,
  failures: 0,
  used_mean: 0.94,
  share_beside_a_greedy_operator: 0.9,
  unread_sweeps: 8,
};

type RunFigures = DaysFigures & { readonly seed: number; readonly hasOthers: boolean };

/** Days of the real engine in virtual time: random accounts and operators, and all that can happen to them. */
export async function pacing(): Promise<object> {
  const cpu = process.cpuUsage();
  const seeds = Array.from({ length: Math.ceil(DAYS / MEAN_DAYS) }, (_, index) => FIRST_SEED + index);
  const runs = (await Promise.all(parts(seeds, availableParallelism()).map(runPart))).flat();
  const { user, system } = process.cpuUsage(cpu);
  const alone = runs.filter(({ hasOthers }) => !hasOthers);
  const shared = runs.filter(({ hasOthers }) => hasOthers);
  const sum = (of: (run: RunFigures) => number, among: readonly RunFigures[] = runs) =>
    among.reduce((total, run) => total + of(run), 0);
  const refused = (among: readonly RunFigures[]) => sum((run) => run.refused.minute + run.refused.day, among);
  const used = runs.flatMap((run) => run.used);
  const shares = runs.flatMap((run) => run.shares).filter(({ operator }) => !operator.startsWith('greedy'));
  const besideGreedy = shares.filter(({ isBesideGreedy }) => isBesideGreedy);
  const longest = alone.toSorted((a, b) => b.longestUnread.sweeps - a.longestUnread.sweeps)[0];
  const watchedH = (of: 'all' | 'usedUp') => sum(({ watchedMs }) => watchedMs[of], alone) / HOUR_MS;
  const overspentDays = sum((run) => run.overspentDays, alone);
  const failures = runs.flatMap((run) => run.failures);
  return {
    what:
      'the real engine and the real reader of the past in virtual time, over their stores in files, against an upstream in this process that answers and counts by the ' +
      'contract; day allowances 100 to 50,000 (density falls as size^-1.5), minute 6 to 600; one to five operators, some of them greedy; latency, lost answers, ' +
      'outages, 429s, loads of the past, kills with requests under way',
    goal: GOAL,
    reached:
      refused(alone) === GOAL.refused &&
      overspentDays === GOAL.overspent_days &&
      failures.length === GOAL.failures &&
      mean(used) >= GOAL.used_mean &&
      totalShare(besideGreedy) >= GOAL.share_beside_a_greedy_operator &&
      (longest?.longestUnread.sweeps ?? 0) <= GOAL.unread_sweeps,
    days: Math.round(sum(({ days }) => days)),
    requests: sum(({ requests }) => requests),
    of_the_past: sum(({ historyRequests }) => historyRequests),
    polls: sum(({ polls }) => polls),
    loads: sum(({ loads }) => loads),
    kills: sum(({ kills }) => kills),
    kills_with_requests_under_way: sum(({ killsWithOpen }) => killsWithOpen),
    injected_answers: sum(({ injected }) => injected),
    refused: refused(alone),
    overspent_days: overspentDays,
    failures: failures.slice(0, 5),
    // What another consumer spends between an answer and our next request cannot be foreseen.
    with_another_consumer: {
      days: Math.round(sum(({ days }) => days, shared)),
      requests: sum(({ requests }) => requests, shared),
      refused: refused(shared),
    },
    used_of_day_watched_all_day: { days: used.length, mean: round(mean(used)), worst: round(Math.min(...used)) },
    requests_over_an_equal_share: shareFigures(shares),
    the_same_beside_a_greedy_operator: shareFigures(besideGreedy),
    watched_hours: { all: round(watchedH('all')), with_less_than_a_sweep_left: round(watchedH('usedUp')) },
    longest_unread: {
      in_sweeps: spread(alone.map(({ longestUnread }) => longestUnread.sweeps)),
      worst: longest && { seed: longest.seed, ...longest.longestUnread },
    },
    processor_s: Math.round((user + system) / 1e6),
  };
}

function parts(seeds: readonly number[], count: number): readonly (readonly number[])[] {
  return Array.from({ length: count }, (_, part) => seeds.filter((_seed, index) => index % count === part));
}

async function runPart(seeds: readonly number[]): Promise<readonly RunFigures[]> {
  const runs: RunFigures[] = [];
  const worker = new Worker(new URL('./pacing-worker.ts', import.meta.url), {
    workerData: { seeds, daysPerRun: DAYS_PER_RUN },
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  });
  worker.on('message', (figures: RunFigures) => runs.push(figures));
  // Rejects where the worker throws.
  await once(worker, 'exit');
  return runs;
}

/** Of all requests together. */
function totalShare(shares: readonly Share[]): number {
  const sum = (of: (share: Share) => number) => shares.reduce((total, share) => total + of(share), 0);
  return sum(({ got }) => got) / sum(({ equal }) => equal);
}

function shareFigures(shares: readonly Share[]): object {
  const each = shares.map(({ got, equal }) => got / equal).sort((a, b) => a - b);
  return {
    quarter_hours: each.length,
    all: round(totalShare(shares)),
    least: round(each[0] ?? Number.NaN),
    at_5_percent: round(each[Math.floor(each.length / 20)] ?? Number.NaN),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
