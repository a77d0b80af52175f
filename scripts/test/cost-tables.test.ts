import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { costTables, filesOf, keepCosts, knownCosts } from './cost-tables.ts';
import type { Cost } from './costs.ts';

const testCost = (title: string, seconds: number, processorSeconds: number): Cost => ({
  kind: 'test',
  file: 'lib/room.test.ts',
  title,
  seconds,
  processorSeconds,
  failed: false,
});
const fileCost = (file: string, seconds: number, processorSeconds: number): Cost => ({
  kind: 'file',
  file,
  seconds,
  processorSeconds,
});

test('lists tests and files from the slowest on, with aligned columns', () => {
  const text = costTables([
    testCost('a room › is found', 0.25, 0.2),
    testCost('a room › is wide', 12.34, 1),
    testCost('a room › is built by others', 3, 4.5),
    testCost('a room › is empty', 0.01, 0.01),
    fileCost('lib/room.test.ts', 16, 6),
  ]);
  expect(text).toBe(`
4 tests took 6 s of processor time; the slowest:
    cpu    wall
    1.0    12.3  lib/room.test.ts › a room › is wide
    4.5     3.0  lib/room.test.ts › a room › is built by others
    0.2     0.3  lib/room.test.ts › a room › is found

1 file took 6 s of processor time; the slowest:
    cpu    wall
    6.0    16.0  lib/room.test.ts`);
});

test('lists at most 30 tests', () => {
  const text = costTables(Array.from({ length: 40 }, (_, index) => testCost(`t${index}`, index + 1, 1)));
  expect(text.split('\n').filter((line) => line.includes('›'))).toHaveLength(30);
  expect(text).toContain('40 tests');
  expect(text).toContain('› t10\n'.trim());
  expect(text).not.toMatch(/› t9$/m);
});

test('keeps a title with line breaks on one line', () => {
  expect(costTables([testCost('a\n\tb\u0000c\u202ed', 1, 1)])).toContain('› a b c d');
});

test('adds up starts of each kind, and what PostgreSQL used', () => {
  const start = (what: 'app' | 'database', seconds: number): Cost => ({ kind: 'start', what, seconds });
  expect(
    costTables([start('app', 2.5), start('database', 0.5), start('app', 3), { kind: 'database', processorSeconds: 7 }]),
  ).toBe(`
3 starts took 6 s; PostgreSQL used 7 s of processor time
  count    wall
      2     5.5  apps
      1     0.5  PostgreSQL`);
});

test('adds up what several processes spent on a file', () => {
  expect(filesOf([fileCost('a', 1, 2), fileCost('b', 1, 1), fileCost('a', 3, 0.5)])).toEqual([
    { name: 'a', seconds: 4, processorSeconds: 2.5 },
    { name: 'b', seconds: 1, processorSeconds: 1 },
  ]);
});

test('is empty without costs', () => {
  expect(costTables([])).toBe('');
});

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
