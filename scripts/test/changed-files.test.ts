import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changedFiles } from './changed-files.ts';

let folder: string;
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], { stdio: 'pipe' });
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-changed-'));
  git('init', '-q', '-b', 'main');
  for (const name of ['kept.ts', 'edited.ts', 'committed.ts', 'removed.ts', 'renamed.ts']) write(name, `// ${name}\n`);
  write('.gitignore', 'ignored.ts\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('checkout', '-qb', 'change');
  write('committed.ts', 'changed');
  git('mv', 'renamed.ts', 'a new name.ts');
  git('commit', '-qam', 'second');
  git('checkout', '-q', 'main');
  write('kept.ts', 'changed on the main branch');
  git('commit', '-qam', 'third');
  git('checkout', '-q', 'change');
  write('edited.ts', 'changed');
  write('untracked.ts', 'new');
  write('ignored.ts', 'not part of it');
  rmSync(join(folder, 'removed.ts'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a change has what differs from the common ancestor, committed or not, and new files', () => {
  const { since, files, deleted, all } = changedFiles(folder);
  expect(since).toMatch(/^main \([0-9a-f]{8}\)$/);
  expect(files).toEqual(['a new name.ts', 'committed.ts', 'edited.ts', 'untracked.ts']);
  expect(deleted.toSorted()).toEqual(['removed.ts', 'renamed.ts']);
  expect(all).toContain('kept.ts');
  expect(all).not.toContain('ignored.ts');
});

test('the base can be named', () => {
  expect(changedFiles(folder, 'HEAD').files).toEqual(['edited.ts', 'untracked.ts']);
});

test('an unknown base is refused by its name', () => {
  expect(() => changedFiles(folder, 'nowhere')).toThrow('There is no branch nowhere to compare with');
});
