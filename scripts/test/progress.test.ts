import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { noteCost } from './costs.ts';
import { showProgress } from './progress.ts';

test('prints the files that are done, and each failed test once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-progress-'));
  const costs = join(folder, 'costs');
  vi.useFakeTimers();
  vi.stubEnv('TEST_COSTS', costs);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const said: string[] = [];
  const files = ['lib/a.test.ts', 'lib/b.test.ts', 'e2e/page.spec.ts'];
  const progress = showProgress(costs, files, (text) => said.push(text));
  const spent = { seconds: 1, processorSeconds: 1 };
  progress.running(['types', 'unit', 'browser']);
  noteCost({ kind: 'test', file: 'lib/a.test.ts', title: 'is wide', ...spent, failed: true });
  noteCost({ kind: 'file', file: 'lib/a.test.ts', ...spent });
  vi.advanceTimersByTime(20_000);
  noteCost({ kind: 'file', file: 'e2e/page.spec.ts', ...spent });
  noteCost({ kind: 'file', file: 'e2e/page.spec.ts', ...spent });
  vi.advanceTimersByTime(20_000);
  progress.running([]);
  vi.advanceTimersByTime(20_000);
  progress.stop();
  expect(said).toEqual([
    'FAILED lib/a.test.ts › is wide',
    '   20 s: types, unit 1 of 2 files, browser 0 of 1 files',
    '   40 s: types, unit 1 of 2 files, browser 1 of 1 files',
  ]);
});
