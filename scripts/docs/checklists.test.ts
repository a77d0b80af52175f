import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { benchmarkNames, documentText, root } from './document.ts';

const OPERATORS_CHECKLIST = 'docs/operators-checklist.md';
const SECURITY_CHECKLIST = 'docs/security-checklist.md';

/** The first and the last column of every table. */
function checklistRows(text: string): readonly { readonly line: string; readonly shownBy: string }[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| (line|---) /.test(line) && !line.startsWith('|---'))
    .map((row) => {
      const cells = row.slice(1, -1).split(' | ');
      return { line: cells[0]?.trim() ?? '', shownBy: cells.at(-1)?.trim() ?? '' };
    });
}

/** A beginning as short as this would be that of many titles. */
const MIN_BEGINNING = 12;

/** Whether a file of tests, or a suite that it runs, has this title, or one that begins like this if it ends in `…`. */
function hasTitle(path: string, title: string): boolean {
  const isBeginning = title.endsWith('…');
  const words = isBeginning ? title.slice(0, -1) : title;
  if (isBeginning && words.length < MIN_BEGINNING) return false;
  const own = documentText(path);
  const suites = [...own.matchAll(/from '(\.[^']+-suite\.fixture\.ts)'/g)].map(([, suite]) =>
    join(dirname(path), suite!),
  );
  const tests = [own, ...suites.map(documentText)].join('\n');
  return ["'", '"', '`'].some((quote) => tests.includes(`${quote}${words}${isBeginning ? '' : quote}`));
}

describe(OPERATORS_CHECKLIST, () => {
  const text = documentText(OPERATORS_CHECKLIST);

  test('numbers its lines in order, in each section from 1', () => {
    const sections = text.split(/^## /m).slice(1);
    const expected = sections.flatMap((section) => {
      const number = /^\d+/.exec(section)?.[0];
      const lines = section.split('\n').filter((line) => /^\| \d/.test(line));
      return lines.map((_, index) => `${number}.${index + 1}`);
    });
    expect(checklistRows(text).map(({ line }) => /^\S+/.exec(line)?.[0])).toEqual(expected);
  });
});

describe(SECURITY_CHECKLIST, () => {
  test('names requirements of the standard by their numbers, or none', () => {
    const rows = documentText(SECURITY_CHECKLIST)
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\| line |^\|---/.test(line))
      .map((row) => row.slice(1, -1).split(' | '));
    const isNumbers = (cell: string) => cell === '–' || /^\d+\.\d+\.\d+(, \d+\.\d+\.\d+)*$/.test(cell);
    expect(rows.filter((cells) => cells.length !== 3 || !isNumbers(cells[1]?.trim() ?? ''))).toEqual([]);
  });
});

describe.each([OPERATORS_CHECKLIST, SECURITY_CHECKLIST])('%s', (path) => {
  const text = documentText(path);
  const rows = checklistRows(text);

  test('shows every line by a test, a benchmark, a document or a look', () => {
    const isShown = (shownBy: string) =>
      /`[^`]+(\.(test|spec)|-suite\.fixture)\.ts`|`npm run bench -- |docs\/|Looked at/.test(shownBy);
    expect(rows.filter(({ line, shownBy }) => line === '' || !isShown(shownBy))).toEqual([]);
  });

  test('quotes only titles that are in the file of tests before them', () => {
    const wrong = rows.flatMap(({ line, shownBy }) => {
      let path: string | undefined;
      return [...shownBy.matchAll(/`([^`]+)`|“([^”]+)”/g)].flatMap(([, code, title]) => {
        if (code !== undefined) path = /(\.(test|spec)|-suite\.fixture)\.ts$/.test(code) ? code : undefined;
        if (path !== undefined && !existsSync(join(root, path))) return [`${line}: there is no ${path}`];
        if (title === undefined) return [];
        return path !== undefined && hasTitle(path, title) ? [] : [`${line}: “${title}” is not in ${path}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test('names only benchmarks that there are', () => {
    const named = [...text.matchAll(/npm run bench -- ([a-z0-9-]+)/g)].map(([, name]) => name as string);
    const known = new Set(benchmarkNames());
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});
