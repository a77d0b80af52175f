import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseChanged, DEFAULT_WORDS, notRunText, reachText, SPECS_OF, specsReachedBy } from './choose-changed.ts';
import { testFiles } from './suites.ts';

const root = join(import.meta.dirname, '../..');
const tests = testFiles(root);
const specs = tests.filter((file) => file.startsWith('e2e/'));
const all = [...tests, 'components/allowance/area-text.ts', 'lib/geo/bearing.ts'];

function choose(files: readonly string[], isBuilt = false, seconds = 1) {
  return chooseChanged(root, { since: 'main', files, deleted: [], all }, tests, () => seconds, isBuilt);
}

test('runs the tests of a changed file, and leaves those of the browser without a build', () => {
  const { run, left, leftSpecs } = choose(['components/allowance/area-text.ts']);
  expect(run).toContain('components/allowance/area-text.test.ts');
  expect(left).toEqual([]);
  expect(leftSpecs).toContain('e2e/live-map.spec.ts');
});

test('runs tests of the browser if the build has the changes and they fit', () => {
  const [first = ''] = specs;
  expect(choose([first], true)).toMatchObject({ run: [first], leftSpecs: [] });
  expect(choose([first])).toMatchObject({ run: [], leftSpecs: [first] });
  expect(choose(['components/allowance/area-text.ts'], true, 1000).leftSpecs).toContain('e2e/live-map.spec.ts');
});

test('says what is not run, and how to run it', () => {
  const text = notRunText({ run: [], left: ['lib/a.test.ts'], leftSpecs: ['e2e/b.spec.ts'] }).join('\n');
  expect(text).toContain('  lib/a.test.ts');
  expect(text).toContain('npm test -- e2e/b.spec.ts');
  expect(text).toContain('walls, unused, browsers and size');
  expect(reachText({ run: ['a'], left: ['b'], leftSpecs: [] })).toBe('2 test files, of which 1 are run');
});

test('a file of no row reaches the default tests, and documents and tests reach none', () => {
  const ofDefault = specsReachedBy(['lib/geo/bearing.ts'], specs);
  expect(ofDefault).not.toEqual([]);
  expect(specsReachedBy(['docs/api.md', 'lib/geo/bearing.test.ts', 'testing/budget.ts', 'README.md'], specs)).toEqual(
    [],
  );
});

test('the table names tests and folders that exist', () => {
  for (const [start, words] of [...SPECS_OF, ['', DEFAULT_WORDS] as const]) {
    for (const word of words)
      expect(
        specs.filter((spec) => spec.slice(spec.lastIndexOf('/')).includes(word)),
        word,
      ).not.toEqual([]);
    const [, before = '', choices] = /^([^(]*)(?:\(([^)]*)\)\/)?/.exec(start) ?? [];
    if (choices === undefined || start.includes('?')) continue;
    for (const choice of choices.split('|')) expect(existsSync(join(root, before, choice)), start).toBe(true);
  }
});
