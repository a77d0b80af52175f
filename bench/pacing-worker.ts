import { parentPort, workerData } from 'node:worker_threads';
import { runDays } from '#testing/virtual-days/run-days.ts';
import { randomScenario } from '#testing/virtual-days/scenario.ts';

const { seeds, daysPerRun } = workerData as { seeds: readonly number[]; daysPerRun: number };
for (const seed of seeds) {
  const scenario = randomScenario(seed, daysPerRun);
  const figures = await runDays(scenario);
  const hasOthers = scenario.othersPerDay > 0;
  parentPort?.postMessage({ ...figures, failures: figures.failures.map(String), seed, hasOthers });
}
