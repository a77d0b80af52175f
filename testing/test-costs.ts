import { join, relative } from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { noteCost } from '../scripts/test/costs.ts';
import { ownSeconds } from '../scripts/test/processor-time.ts';

const ROOT = join(import.meta.dirname, '..');

/**
 * Notes what the file and each of its tests cost, with the processes that they started and that ended. From the set-up of a file
 * on, before its imports: hooks of the set-up are the outermost.
 */
export function measureFile(): void {
  if (process.env.TEST_COSTS === undefined) return;
  const file = relative(ROOT, expect.getState().testPath ?? '');
  const ofFile = measure();
  let ofTest = measure();
  beforeEach(() => {
    ofTest = measure();
  });
  afterEach(({ task }) => {
    const titles = [task.name];
    for (let { suite } = task; suite !== undefined; suite = suite.suite) titles.unshift(suite.name);
    noteCost({ kind: 'test', file, title: titles.join(' › '), ...ofTest(), failed: task.result?.state === 'fail' });
  });
  afterAll(() => noteCost({ kind: 'file', file, ...ofFile() }));
}

function measure() {
  const [startedMs, startedSeconds] = [performance.now(), ownSeconds()];
  return () => ({
    seconds: (performance.now() - startedMs) / 1000,
    processorSeconds: ownSeconds() - startedSeconds,
  });
}
