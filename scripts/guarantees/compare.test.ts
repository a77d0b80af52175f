import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compareTitles, readMapping } from './compare.ts';
import { titlesOf } from './titles.ts';

const folder = mkdtempSync(join(tmpdir(), 'lookout-guarantees-'));
afterAll(() => rmSync(folder, { recursive: true }));

const vitest = (root: string, files: Readonly<Record<string, readonly string[]>>) =>
  JSON.stringify({
    testResults: Object.entries(files).map(([file, titles]) => ({
      name: `${root}/${file}`,
      assertionResults: titles.map((title) => ({
        ancestorTitles: title.split(' › ').slice(0, -1),
        title: title.split(' › ').at(-1),
      })),
    })),
  });
const playwright = (root: string, file: string, title: string, steps: readonly string[] = []) =>
  JSON.stringify({
    config: { rootDir: `${root}/e2e` },
    suites: [
      {
        title: file,
        specs: [],
        suites: [
          {
            title: 'a page',
            specs: [{ title, file, tests: [{ results: [{ steps: steps.map((step) => ({ title: step })) }] }] }],
          },
        ],
      },
    ],
  });
const before = () =>
  titlesOf([
    vitest('/old', { 'lib/a.test.ts': ['a › stays', 'a › moves', 'a › goes', 'a › is 1', 'a › is 2'] }),
    playwright('/old', 'page.spec.ts', 'shows a'),
  ]);
const after = () =>
  titlesOf([
    vitest('/new/place', { 'lib/a.test.ts': ['a › stays', 'a › is new'], 'lib/b.test.ts': ['b › moved', 'b › any'] }),
    playwright('/new/place', 'walk.spec.ts', 'walks', ['shows a']),
  ]);
const line = (...cells: readonly string[]) => cells.join('\t');
const MAPPING = [
  line('lib/a.test.ts', 'a › moves', 'moved', 'lib/between.test.ts', 'moves', 'first'),
  line('lib/between.test.ts', 'moves', 'moved', 'lib/b.test.ts', 'b › moved', 'second'),
  line('lib/a.test.ts', 'a › goes', 'went', '', '', 'the compiler denies it'),
  line('lib/a.test.ts', 'a › is *', 'merged', 'lib/b.test.ts', 'b › any', ''),
  line('e2e/page.spec.ts', 'a page › shows a', 'merged', 'e2e/walk.spec.ts', 'a page › walks › shows a', ''),
];

test('finds every title by the mapping, over two moves, in a step, and by a pattern', () => {
  const { rows, counts, problems, unused } = compareTitles(before(), after(), readMapping('m.tsv', MAPPING.join('\n')));
  expect(problems).toEqual([]);
  expect(unused).toEqual([]);
  expect(counts).toEqual({ kept: 1, moved: 1, merged: 3, went: 1 });
  expect(rows.find(({ old }) => old.title === 'a › moves')).toMatchObject({
    now: { file: 'lib/b.test.ts', title: 'b › moved' },
    note: 'first; second',
  });
});

test.each([
  ['a title in no mapping', 3, undefined, 'in no mapping, and not there now: lib/a.test.ts › a › is 1'],
  [
    'a new title that is not there',
    1,
    line('lib/between.test.ts', 'moves', 'moved', 'lib/b.test.ts', 'b › typo'),
    'm.tsv:2: its new title is not there: lib/b.test.ts › b › typo',
  ],
  [
    'no reason',
    2,
    line('lib/a.test.ts', 'a › goes', 'went'),
    'm.tsv:3: went without a reason: lib/a.test.ts › a › goes',
  ],
  [
    'a move to nowhere',
    4,
    line('e2e/page.spec.ts', 'a page › shows a', 'moved'),
    'm.tsv:5: moved, but not where to: e2e/page.spec.ts › a page › shows a',
  ],
])('names %s', (_, at, replaced, problem) => {
  const lines = MAPPING.with(at, replaced ?? '');
  expect(compareTitles(before(), after(), readMapping('m.tsv', lines.join('\n'))).problems).toContain(problem);
});

test('names a line about a title that was never there', () => {
  const mapping = readMapping('m.tsv', line('lib/a.test.ts', 'a › was never', 'went', '', '', 'a reason'));
  expect(compareTitles(before(), before(), mapping)).toMatchObject({
    problems: [],
    unused: ['m.tsv:1: lib/a.test.ts › a › was never'],
  });
});

test('refuses a line that is no mapping', () => {
  expect(() => readMapping('m.tsv', 'lib/a.test.ts › a › goes › went')).toThrow('m.tsv:1 is no line of a mapping');
});

test('refuses reports without a test', () => {
  expect(() => titlesOf([vitest('/old', {})])).toThrow('The reports have no test.');
});

test('the script prints the table and the counts, and fails with the titles that are lost', () => {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const old = write(
    'old.json',
    vitest('/old', { 'lib/a.test.ts': ['stays', 'moves | here', 'is lost'], 'service/a.test.ts': [] }),
  );
  const now = write('new.json', vitest('/new', { 'lib/a.test.ts': ['stays'], 'service/b.test.ts': ['moved'] }));
  const mapping = write('m.tsv', line('lib/a.test.ts', 'moves | here', 'moved', 'service/b.test.ts', 'moved', ''));
  const script = join(import.meta.dirname, '../guarantees.ts');
  const args = [script, '--before', old, '--after', now, '--mapping', mapping, mapping];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toContain('3 titles before, 2 after: 1 kept, 1 moved, 0 merged, 0 went');
  expect(stderr).toContain('PROBLEM in no mapping, and not there now: lib/a.test.ts › is lost');
  expect(stdout).toContain('moves \\| here | moved |');
  expect(status).toBe(1);
});
