import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reachedFrom, type Uses, usesOf, withinBudget } from './reach.ts';

const FILES: Readonly<Record<string, string>> = {
  'lib/wall.ts': 'export const wall = 1;',
  'lib/room.ts': "import { wall } from './wall.ts'; export const room = wall;",
  'lib/only-types.ts': "import type {\n  Wall } from './wall.ts';\nexport type { Wall } from './wall.ts';",
  'lib/house.ts': "import { room } from '#lib/room.ts';",
  'lib/loaded-later.ts': "const wall = await import('./wall.ts');",
  'lib/round.ts': "import './round-too.ts'; import './wall.ts';",
  'lib/round-too.ts': "import './round.ts';",
  'scripts/run.ts': 'process.exit(0);',
  'scripts/run.test.ts': "spawn('node', ['scripts/run.ts']); readFileSync(join(root, '../docs/guide.md'));",
  'docs/guide.md': 'A wall: lib/wall.ts',
  'lib/removed.test.ts': "import './removed.ts';",
};
let folder: string;
let uses: Uses;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-reach-'));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  uses = usesOf(folder, [...Object.keys(FILES), 'lib/removed.ts']);
});
afterAll(() => rmSync(folder, { recursive: true }));

const reached = (...changed: readonly string[]) => Object.fromEntries(reachedFrom(changed, uses));

describe('a change', () => {
  test('reaches importers, near and far, in circles and with a later import, but not those of types alone', () => {
    expect(reached('lib/wall.ts')).toEqual({
      'lib/wall.ts': 0,
      'lib/room.ts': 1,
      'lib/house.ts': 2,
      'lib/loaded-later.ts': 1,
      'lib/round.ts': 1,
      'lib/round-too.ts': 2,
    });
  });

  test('reaches the test that starts it as a program or reads it as a file', () => {
    expect(reached('scripts/run.ts')).toEqual({ 'scripts/run.ts': 0, 'scripts/run.test.ts': 1 });
    expect(reached('docs/guide.md')).toEqual({ 'docs/guide.md': 0, 'scripts/run.test.ts': 1 });
  });

  test('reaches the importers of a removed file', () => {
    expect(reached('lib/removed.ts')).toEqual({ 'lib/removed.ts': 0, 'lib/removed.test.ts': 1 });
  });
});

describe('within a budget', () => {
  const seconds: Readonly<Record<string, number>> = { changed: 9, near: 2, nearAndSlow: 8, far: 1, farther: 1 };
  const distances = new Map([
    ['far', 3],
    ['nearAndSlow', 1],
    ['changed', 0],
    ['farther', 4],
    ['near', 1],
  ]);
  const within = (budget: number) => withinBudget(distances, (file) => seconds[file] ?? 0, budget);

  test('the nearest come first, and of those the cheapest', () => {
    expect(within(100)).toEqual({ run: ['changed', 'near', 'nearAndSlow', 'far', 'farther'], left: [] });
  });

  test('those that do not fit are left, and cheaper ones are not', () => {
    expect(within(12)).toEqual({ run: ['changed', 'near', 'far'], left: ['nearAndSlow', 'farther'] });
  });

  test('changed tests are run at any price', () => {
    expect(within(1)).toEqual({ run: ['changed'], left: ['near', 'nearAndSlow', 'far', 'farther'] });
  });
});
