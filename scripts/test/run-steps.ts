import { failedTestText, type TestRun } from './failed-tests.ts';
import { type MachineTimes, machineTimes } from './processor-time.ts';

/** `undefined`: the step writes to the output of this process. */
export type Show = ((text: string) => void) | undefined;

export interface StepResult extends TestRun {
  readonly processorSeconds: number;
}

export interface Step {
  readonly name: string;
  readonly what: string;
  /** Steps that must pass before, if they are run at all. */
  readonly needs?: readonly string[];
  /** @returns tests, at least one. @throws Error if the step fails */
  readonly run: (show: Show) => Promise<StepResult>;
}

export interface StepsRun {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failedSteps: readonly string[];
  /** Each failure is a text of several lines. */
  readonly failures: readonly string[];
  readonly costs: readonly StepCost[];
}

export interface StepCost {
  readonly name: string;
  readonly seconds: number;
  readonly processorSeconds: number;
  /** Of all processors meanwhile, 0 to 1; `undefined` where it is unknown. */
  readonly idle: number | undefined;
}

/**
 * Lanes run side by side, the steps of a lane one after the other. Side by side, a step shows its output when it ends, or lines
 * would mix.
 * @param running receives the steps that run now
 */
export async function runSteps(
  lanes: readonly (readonly Step[])[],
  say: (text: string) => void,
  running: (names: readonly string[]) => void = () => undefined,
): Promise<StepsRun> {
  const isAlone = lanes.length <= 1;
  const all = lanes.flat();
  const outcomes = new Map(all.map(({ name }) => [name, Promise.withResolvers<boolean>()]));
  const now = new Set<string>();
  const failedSteps: string[] = [];
  const failures: string[] = [];
  const costs: StepCost[] = [];
  const tests = { passed: 0, failed: 0, skipped: 0 };

  async function resultOf({ name, needs = [], run }: Step, show: Show): Promise<StepResult> {
    for (const need of needs) {
      const outcome = outcomes.get(need);
      if (outcome !== undefined && !(await outcome.promise))
        return failed(name, `it was not run, because ${need} failed`);
    }
    now.add(name);
    running([...now]);
    say(isAlone ? `\n── ${name}: ${all.find((step) => step.name === name)?.what}` : `── ${name}: started`);
    try {
      const result = await run(show);
      if (result.passed + result.failed > 0) return result;
      return failed(name, 'no test was run', result.processorSeconds);
    } catch (error) {
      return failed(name, error instanceof Error ? error.message : String(error));
    }
  }

  async function runStep(step: Step): Promise<void> {
    const { name, what } = step;
    const output: string[] = [];
    const [startedMs, before] = [performance.now(), machineTimes()];
    const result = await resultOf(step, isAlone ? undefined : (text) => output.push(text));
    const seconds = (performance.now() - startedMs) / 1000;
    const hasPassed = result.failed === 0;
    for (const key of ['passed', 'failed', 'skipped'] as const) tests[key] += result[key];
    if (!hasPassed) failedSteps.push(name);
    failures.push(...result.failures.map(failedTestText));
    const cost = { name, seconds, processorSeconds: result.processorSeconds, idle: idleSince(before) };
    costs.push(cost);
    now.delete(name);
    running([...now]);
    if (!isAlone) say(`\n── ${name}: ${what}\n${output.join('')}`.trimEnd());
    say(`── ${name}: ${hasPassed ? 'passed' : 'FAILED'} in ${costText(cost)}`);
    outcomes.get(name)?.resolve(hasPassed);
  }

  await Promise.all(
    lanes.map(async (steps) => {
      for (const step of steps) await runStep(step);
    }),
  );
  return { ...tests, failedSteps, failures, costs };
}

/** A step that failed as a whole. */
export function failed(name: string, why: string, processorSeconds = 0): StepResult {
  const failures = [{ where: name, title: 'the step', why }];
  return { passed: 0, failed: 1, skipped: 0, failures, processorSeconds };
}

function idleSince(before: MachineTimes | undefined): number | undefined {
  const after = machineTimes();
  if (before === undefined || after === undefined || after.allSeconds === before.allSeconds) return undefined;
  return (after.idleSeconds - before.idleSeconds) / (after.allSeconds - before.allSeconds);
}

export function costText({ seconds, processorSeconds, idle }: StepCost): string {
  const ofProcessors = idle === undefined ? '' : `, processors ${Math.round(100 * idle)}% idle`;
  return `${Math.round(seconds)} s (${Math.round(processorSeconds)} s of processor time${ofProcessors})`;
}
