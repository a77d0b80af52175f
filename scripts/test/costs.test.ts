import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { countStart, noteCost, readCosts } from './costs.ts';

const folder = mkdtempSync(join(tmpdir(), 'lookout-costs-'));
afterAll(() => rmSync(folder, { recursive: true }));

function noteInto(name: string): string {
  const file = join(folder, name);
  vi.stubEnv('TEST_COSTS', file);
  onTestFinished(() => void vi.unstubAllEnvs());
  return file;
}

test('reads the costs that were noted, without a line that is not whole', () => {
  const file = noteInto('noted');
  noteCost({ kind: 'file', file: 'a.test.ts', seconds: 2, processorSeconds: 1 });
  appendFileSync(file, '{"kind":"start","wha\n');
  noteCost({ kind: 'database', processorSeconds: 3 });
  appendFileSync(file, '{"kind":"database","processorSeconds":5');
  expect(readCosts(file)).toEqual([
    { kind: 'file', file: 'a.test.ts', seconds: 2, processorSeconds: 1 },
    { kind: 'database', processorSeconds: 3 },
  ]);
});

test('notes nothing without a file for it', () => {
  vi.stubEnv('TEST_COSTS', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  noteCost({ kind: 'database', processorSeconds: 3 });
  expect(readCosts(join(folder, 'none'))).toEqual([]);
});

test('counts a start when it ends, also one that fails', async () => {
  const file = noteInto('starts');
  const { promise, resolve } = Promise.withResolvers<string>();
  const started = countStart('app', () => promise);
  expect(readCosts(file)).toEqual([]);
  resolve('an app');
  expect(await started).toBe('an app');
  expect(countStart('database', () => 'a database')).toBe('a database');
  await expect(countStart('browser', () => Promise.reject(new Error('no display')))).rejects.toThrow('no display');
  expect(() =>
    countStart('service', () => {
      throw new Error('no port');
    }),
  ).toThrow('no port');
  expect(readCosts(file).map((cost) => (cost.kind === 'start' ? cost.what : ''))).toEqual([
    'app',
    'database',
    'browser',
    'service',
  ]);
});
