import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepCosts, knownCosts } from './known-costs.ts';

const newFile = () => join(mkdtempSync(join(tmpdir(), 'lookout-costs-')), 'deep', 'costs.json');
const ran = (file: string, seconds: number, processorSeconds: number) =>
  ({ kind: 'file', file, seconds, processorSeconds }) as const;

test('the last processor time of each file is kept, and the wall time of one that waits for over a minute', () => {
  const file = newFile();
  keepCosts(file, [ran('a.test.ts', 2, 1), ran('b.test.ts', 50, 3)]);
  keepCosts(file, [ran('a.test.ts', 3, 2.004), ran('waits.test.ts', 105, 4)]);
  keepCosts(file, []);
  expect(knownCosts(file)).toEqual({ 'a.test.ts': 2, 'b.test.ts': 3, 'waits.test.ts': 105 });
});

test('costs that are missing or damaged are as none', () => {
  const file = newFile();
  expect(knownCosts(file)).toEqual({});
  keepCosts(file, [ran('a.test.ts', 2, 1)]);
  writeFileSync(file, '{"a.test.ts":');
  expect(knownCosts(file)).toEqual({});
});
