import { relative } from 'node:path';
import { chromium, type TestInfo } from '@playwright/test';
import { countStart, noteCost } from '../../scripts/test/costs.ts';
import { treeSeconds } from '../../scripts/test/processor-time.ts';
import { ROOT } from './child-process.ts';

const launch = chromium.launch.bind(chromium);
chromium.launch = (options) => countStart('browser', () => launch(options));

const now = () => ({
  ms: performance.now(),
  processorSeconds: process.env.TEST_COSTS === undefined ? 0 : treeSeconds(),
});

/** A file also pays for what happens in its process between two tests, such as hooks and ends of apps. */
let lastEnd = now();

/** An automatic fixture: the first to be set up, and the last to end. */
export async function measureTest(
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  {}: object,
  use: (measured: undefined) => Promise<void>,
  info: TestInfo,
): Promise<void> {
  const start = now();
  await use(undefined);
  const end = now();
  const since = (from: typeof end) => ({
    seconds: (end.ms - from.ms) / 1000,
    // A process that was killed takes its time along.
    processorSeconds: Math.max(0, end.processorSeconds - from.processorSeconds),
  });
  const file = relative(ROOT, info.file);
  const failed = info.status !== info.expectedStatus;
  noteCost({ kind: 'test', file, title: info.titlePath.slice(1).join(' › '), ...since(start), failed });
  noteCost({ kind: 'file', file, ...since(lastEnd) });
  lastEnd = end;
}
