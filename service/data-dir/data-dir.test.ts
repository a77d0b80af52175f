import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDataDir } from './open-data-dir.ts';

let parent: string;
let path: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'data-dir-'));
  path = join(parent, 'made', 'here');
});
afterEach(() => rmSync(parent, { recursive: true }));

const modeOf = (file: string) => statSync(file).mode & 0o777;

test('it is made for its owner alone, and the secret in it stays the same', () => {
  const first = openDataDir(path);
  first.release();
  const second = openDataDir(path);
  second.release();
  expect(first.referenceSecret).toHaveLength(32);
  expect(Buffer.from(second.referenceSecret).equals(first.referenceSecret)).toBe(true);
  expect([path, join(path, 'reference-secret'), join(path, 'serve.lock')].map(modeOf)).toEqual([0o700, 0o600, 0o600]);
});

test('restricts files that others could read', () => {
  openDataDir(path).release();
  for (const [file, mode] of [[path, 0o755] as const, [join(path, 'reference-secret'), 0o644] as const]) {
    chmodSync(file, mode);
  }
  openDataDir(path).release();
  expect([path, join(path, 'reference-secret')].map(modeOf)).toEqual([0o700, 0o600]);
});

test('a directory that many share stays as it is, also behind a link', () => {
  const shared = join(parent, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  symlinkSync(shared, join(parent, 'link'));
  for (const name of ['shared', 'link']) openDataDir(join(parent, name)).release();
  expect(statSync(shared).mode & 0o1777).toBe(0o1777);
});

test.skipIf(process.platform !== 'linux')('that cannot be created is reported at once', () => {
  expect(() => openDataDir('/proc/nowhere/data')).toThrow('cannot be made or read');
});

test('two directories have different secrets', () => {
  const [one, other] = [openDataDir(path), openDataDir(join(parent, 'other'))];
  expect(Buffer.from(one.referenceSecret).equals(other.referenceSecret)).toBe(false);
  one.release();
  other.release();
});

test('a second service is refused until the first has ended', () => {
  const first = openDataDir(path);
  expect(() => openDataDir(path)).toThrow(/Another service uses .*: stop that one/);
  first.release();
  openDataDir(path).release();
});

test.each([
  ['empty', ''],
  ['half of one', 'a'.repeat(32)],
  ['something else', 'another kind of secret, which is longer than 64 characters'],
])('a secret that is %s is refused and left as it is', (_what, text) => {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'reference-secret'), text);
  expect(() => openDataDir(path)).toThrow(/reference-secret is damaged: .*Restore it/);
  expect(readFileSync(join(path, 'reference-secret'), 'utf8')).toBe(text);
});

test('a lock that is no lock, and a path that is a file, are refused with what to do', () => {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'serve.lock'), 'not a database '.repeat(100));
  expect(() => openDataDir(path)).toThrow(/serve.lock is not a lock of the service: delete it/);
  expect(() => openDataDir(join(path, 'serve.lock'))).toThrow(/Write a directory/);
});
