import { expect, test } from 'vitest';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { documentText } from './document.ts';

const heads = documentText('CHANGELOG.md')
  .split('\n')
  .filter((line) => line.startsWith('## '));
const versions = heads
  .filter((head) => head !== '## Unreleased')
  .map((head) => /^## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)$/.exec(head) ?? [head]);

test('the changelog names each version with its date, the latest first, below what is not released', () => {
  expect(versions.filter(({ length }) => length === 1)).toEqual([]);
  expect(heads.slice(1)).not.toContain('## Unreleased');
  const numbers = versions.map(([, ...parts]) => parts.slice(0, 3).map(Number));
  const descending = numbers.toSorted(
    ([a1 = 0, a2 = 0, a3 = 0], [b1 = 0, b2 = 0, b3 = 0]) => b1 - a1 || b2 - a2 || b3 - a3,
  );
  expect(numbers).toEqual(descending);
  const dates = versions.map((match) => match[4] ?? '');
  for (const date of dates) expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date);
  expect(dates).toEqual(dates.toSorted().reverse());
});

test('its latest version is that of package.json and of the lock file', () => {
  const latest = versions[0]?.slice(1, 4).join('.');
  const lock = JSON.parse(documentText('package-lock.json'));
  expect([latest, lock.version, lock.packages[''].version]).toEqual(Array(3).fill(LOOKOUT_VERSION));
});

test('each version is written for readers who notice changes', () => {
  const sections = documentText('CHANGELOG.md')
    .split('\n')
    .filter((line) => line.startsWith('### '));
  expect(new Set(sections)).toEqual(new Set(['### For operators', '### For admins', '### For programs']));
});
