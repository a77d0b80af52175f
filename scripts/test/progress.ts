import { type Cost, readCosts } from './costs.ts';
import { isSuite, SUITES } from './suites.ts';

const EVERY_MS = 20_000;

export interface ProgressLines {
  /** Receives the steps that run now. */
  running(names: readonly string[]): void;
  stop(): void;
}

/** For steps that show their output at their end: a line every 20 s, and each failed test at once. */
export function showProgress(costsFile: string, files: readonly string[], say: (text: string) => void): ProgressLines {
  const startedMs = performance.now();
  let names: readonly string[] = [];
  let seen = 0;
  const timer = setInterval(() => {
    const costs = readCosts(costsFile);
    for (const line of failedTests(costs.slice(seen))) say(line);
    seen = costs.length;
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    if (names.length > 0)
      say(`${String(seconds).padStart(5)} s: ${names.map((name) => doneOf(name, costs, files)).join(', ')}`);
  }, EVERY_MS);
  return {
    running: (now) => {
      names = now;
    },
    stop: () => clearInterval(timer),
  };
}

function failedTests(costs: readonly Cost[]): readonly string[] {
  return costs.flatMap((cost) => (cost.kind === 'test' && cost.failed ? [`FAILED ${cost.file} › ${cost.title}`] : []));
}

function doneOf(name: string, costs: readonly Cost[], files: readonly string[]): string {
  if (!isSuite(name)) return name;
  const { has } = SUITES[name];
  const all = files.filter(has);
  const done = new Set(costs.flatMap((cost) => (cost.kind === 'file' && has(cost.file) ? [cost.file] : [])));
  return `${name} ${done.size} of ${all.length} files`;
}
