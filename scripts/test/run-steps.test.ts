import { expect, test } from 'vitest';
import { failed, runSteps, type Step, type StepResult } from './run-steps.ts';

const passes: StepResult = { passed: 2, failed: 0, skipped: 1, failures: [], processorSeconds: 3 };
const step = (name: string, run: Step['run'], needs?: readonly string[]): Step => ({
  name,
  what: `the ${name}`,
  run,
  ...(needs && { needs }),
});

async function outcome(lanes: readonly (readonly Step[])[]) {
  const said: string[] = [];
  const run = await runSteps(lanes, (text) => said.push(text));
  return { ...run, said: said.join('\n') };
}

test('adds up tests, and names the failed steps with why', async () => {
  const broken: StepResult = {
    ...passes,
    failed: 1,
    failures: [{ where: 'lib/a.test.ts', title: 'is wide', why: 'it is not' }],
  };
  const run = await outcome([[step('unit', async () => broken)], [step('lint', async () => passes)]]);
  expect(run).toMatchObject({ passed: 4, failed: 1, skipped: 2, failedSteps: ['unit'] });
  expect(run.failures).toEqual(['lib/a.test.ts › is wide\n    it is not']);
  expect(run.said).toMatch(/── unit: FAILED in 0 s \(3 s of processor time/);
  expect(run.costs.map(({ name }) => name).sort()).toEqual(['lint', 'unit']);
});

test('a step that throws, or runs no test, fails with its reason', async () => {
  const run = await outcome([
    [
      step('types', () => Promise.reject(new Error('no compiler'))),
      step('unit', async () => ({ ...passes, passed: 0 })),
      step('lint', async () => failed('lint', 'it ended with 1, see its output')),
    ],
  ]);
  expect(run).toMatchObject({ passed: 0, failed: 3, failedSteps: ['types', 'unit', 'lint'] });
  expect(run.failures.join('\n')).toMatch(/no compiler[\s\S]*no test was run[\s\S]*it ended with 1/);
});

test('a step waits for those that it needs, and is not run if one fails', async () => {
  const order: string[] = [];
  const built = Promise.withResolvers<StepResult>();
  const noted = (name: string) => async () => {
    order.push(name);
    if (name === 'lint') built.resolve(passes);
    return passes;
  };
  const waits = await outcome([
    [step('build', async () => ({ ...(await built.promise), passed: order.push('build') }))],
    [step('lint', noted('lint')), step('app', noted('app'), ['build'])],
  ]);
  expect(order).toEqual(['lint', 'build', 'app']);
  expect(waits.failedSteps).toEqual([]);

  const run = await outcome([
    [step('build', async () => failed('build', 'no disk'))],
    [step('app', noted('never'), ['build']), step('size', noted('size'))],
  ]);
  expect(order).not.toContain('never');
  expect(run.failedSteps).toEqual(['build', 'app']);
  expect(run.failures[1]).toContain('it was not run, because build failed');
  expect(run.passed).toBe(2);
});

test('side by side, a step shows its output at its end, in one piece', async () => {
  const lintEnded = Promise.withResolvers<void>();
  const run = await outcome([
    [
      step('unit', async (show) => {
        show?.('first\n');
        await lintEnded.promise;
        show?.('second\n');
        return passes;
      }),
    ],
    [
      step('lint', async (show) => {
        show?.('a comma\n');
        queueMicrotask(() => lintEnded.resolve());
        return passes;
      }),
    ],
  ]);
  expect(run.said).toContain('── unit: the unit\nfirst\nsecond');
  expect(run.said.indexOf('a comma')).toBeLessThan(run.said.indexOf('first'));
});
