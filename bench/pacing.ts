import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Share } from '#testing/virtual-days/fairness.ts';
import type { DaysFigures } from '#testing/virtual-days/run-days.ts';
import { mean, quantile, rounded, spread, sum } from './figures.ts';

const DAYS = Number(process.env.PACING_DAYS ?? 1000);
/** From a random time of the first day to the midnight after the last. */
const DAYS_PER_RUN = 3;
const MEAN_DAYS = DAYS_PER_RUN - 0.5;
const GOAL = {
  refused: 0,
  overspent_days: 0,
  failures: 0,
  used_mean: 0.94,
  share_next_to_greedy: 0.9,
  unread_sweeps: 8,
};

type RunFigures = DaysFigures & { readonly seed: number; readonly hasOthers: boolean };

export async function bench(): Promise<object> {
  const seeds = Array.from({ length: Math.ceil(DAYS / MEAN_DAYS) }, (_, index) => 1 + index);
  const workers = availableParallelism();
  const parts = Array.from({ length: workers }, (_, part) => seeds.filter((_seed, index) => index % workers === part));
  const runs = (await Promise.all(parts.map(runPart))).flat();
  const alone = runs.filter(({ hasOthers }) => !hasOthers);
  const shared = runs.filter(({ hasOthers }) => hasOthers);
  const total = (of: (run: RunFigures) => number, among = runs) => sum(among.map(of));
  const refused = (among: readonly RunFigures[]) => sum(among.map((run) => run.refused.minute + run.refused.day));
  const used = runs.flatMap((run) => run.used);
  const shares = runs.flatMap((run) => run.shares).filter(({ operator }) => !operator.startsWith('greedy'));
  const nextToGreedy = shares.filter(({ isBesideGreedy }) => isBesideGreedy);
  const worst = alone.toSorted((a, b) => b.longestUnread.sweeps - a.longestUnread.sweeps)[0];
  const overspentDays = total((run) => run.overspentDays, alone);
  const failures = runs.flatMap((run) => run.failures);
  return {
    what: 'the real engine and reader of the past in virtual time, over stores in files and an upstream in this process. 100 to 50,000 requests a day, 6 to 600 a minute. One to five operators, some greedy. Outages, lost answers, 429s, kills',
    goal: GOAL,
    reached:
      refused(alone) === GOAL.refused &&
      overspentDays === GOAL.overspent_days &&
      failures.length === GOAL.failures &&
      mean(used) >= GOAL.used_mean &&
      shareOfAll(nextToGreedy) >= GOAL.share_next_to_greedy &&
      (worst?.longestUnread.sweeps ?? 0) <= GOAL.unread_sweeps,
    days: Math.round(total(({ days }) => days)),
    requests: total(({ requests }) => requests),
    kills: total(({ kills }) => kills),
    refused: refused(alone),
    overspent_days: overspentDays,
    failures: failures.slice(0, 5),
    // The other consumer is unpredictable.
    with_another_consumer: { requests: total(({ requests }) => requests, shared), refused: refused(shared) },
    used_of_day: { days: used.length, mean: rounded(mean(used), 4), worst: rounded(Math.min(...used), 4) },
    share: shareFigures(shares),
    share_next_to_greedy: shareFigures(nextToGreedy),
    unread_sweeps: spread(alone.map(({ longestUnread }) => longestUnread.sweeps)),
    longest_unread: worst && { seed: worst.seed, ...worst.longestUnread },
  };
}

async function runPart(seeds: readonly number[]): Promise<readonly RunFigures[]> {
  const runs: RunFigures[] = [];
  const worker = new Worker(new URL('./pacing-worker.ts', import.meta.url), {
    workerData: { seeds, daysPerRun: DAYS_PER_RUN },
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  });
  worker.on('message', (figures: RunFigures) => runs.push(figures));
  await once(worker, 'exit');
  return runs;
}

function shareOfAll(shares: readonly Share[]): number {
  return sum(shares.map(({ got }) => got)) / sum(shares.map(({ equal }) => equal));
}

function shareFigures(shares: readonly Share[]): object {
  const each = shares.map(({ got, equal }) => got / equal);
  return { quarter_hours: each.length, all: rounded(shareOfAll(shares)), least: quantile(each, 1 / each.length) };
}
