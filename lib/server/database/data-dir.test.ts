import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataDirProblem, makeFolders, refuseOldDataDir, restrictToOwner } from './data-dir.ts';

describe('makeFolders', () => {
  test('folders that are missing are made, all with the mode, and one that is there is left alone', () => {
    const base = mkdtempSync(join(tmpdir(), 'lookout-folders-'));
    makeFolders(join(base, 'a/b'), 0o700);
    makeFolders(join(base, 'a/b'), 0o755);
    expect(['a', 'a/b'].map((name) => statSync(join(base, name)).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  test.skipIf(process.platform !== 'linux')('where none can be made it fails at once', () => {
    expect(() => makeFolders('/proc/nowhere/data', 0o700)).toThrow('ENOENT');
  });
});

test('a folder with files of an earlier Lookout is refused by their names, and any other is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-old-'));
  for (const name of ['lookout.sqlite', 'in-use.lock']) writeFileSync(join(folder, name), '');
  expect(() => refuseOldDataDir(folder)).not.toThrow();
  expect(() => refuseOldDataDir(join(folder, 'nowhere'))).not.toThrow();
  for (const name of ['views.sqlite', 'audit.sqlite', 'demand-profile.json', 'history-0a1b2c3d.sqlite'])
    writeFileSync(join(folder, name), '');
  expect(() => refuseOldDataDir(folder)).toThrow(
    `DATA_DIR ${folder} has files of an earlier Lookout, which this one does not read: audit.sqlite, demand-profile.json, history-0a1b2c3d.sqlite, views.sqlite. Set DATA_DIR to a new folder`,
  );
});

describe('restrictToOwner', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lookout-private-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const modeOf = (path: string) => statSync(path).mode & 0o1777;

  function open(name: string): string {
    const path = join(folder, name);
    writeFileSync(path, '');
    chmodSync(path, 0o666);
    return path;
  }

  test('restricts files that earlier starts left open to others', () => {
    chmodSync(folder, 0o755);
    const ours = [
      'sessions.sqlite',
      'sessions.sqlite-wal',
      'ledger-1.sqlite.damaged-20261121T120000Z',
      'session-secret',
    ].map(open);
    restrictToOwner(folder);
    expect(modeOf(folder)).toBe(0o700);
    expect(ours.map(modeOf)).toEqual(ours.map(() => 0o600));
  });

  test('leaves foreign files, targets of links, and shared directories unchanged', () => {
    const other = open('notes.txt');
    mkdirSync(join(folder, 'elsewhere.sqlite'));
    chmodSync(join(folder, 'elsewhere.sqlite'), 0o755);
    symlinkSync(other, join(folder, 'linked.sqlite'));
    chmodSync(folder, 0o1777);
    restrictToOwner(folder);
    expect([modeOf(other), modeOf(join(folder, 'elsewhere.sqlite')), modeOf(folder)]).toEqual([0o666, 0o755, 0o1777]);
  });
});

const dataDir = mkdtempSync(join(tmpdir(), 'lookout-problem-'));
const ofSystem = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: it cannot`), { code, syscall: 'open', ...(path === undefined ? {} : { path }) });
const ofSqlite = (errcode: number) => Object.assign(new Error('it cannot'), { errcode });
const textOf = (error: unknown) => dataDirProblem(dataDir, error)?.message;

describe('dataDirProblem', () => {
  test.each([
    ['of the file system', ofSystem('ENOSPC', join(dataDir, 'session-secret'))],
    ['of SQLite', ofSqlite(13)],
    ['of the index of SQLite’s log', ofSqlite(10 | (19 << 8))],
    ['behind other words', new Error('The ledger cannot be opened', { cause: ofSqlite(13) })],
  ])('names the folder and asks for room where its disk is full: an error %s', (_, error) => {
    expect(textOf(error)).toMatch(/^The disk of DATA_DIR \S+ is full: make room on it, and start again/);
    expect(textOf(error)).toContain(dataDir);
  });

  test('tells a read-only disk from a folder of another user', () => {
    expect(textOf(ofSystem('EROFS', join(dataDir, 'audit.sqlite')))).toMatch(/is read-only: mount its disk writable/);
    expect(textOf(ofSystem('EACCES', join(dataDir, 'audit.sqlite')))).toMatch(/let the user of Lookout write it/);
    expect(textOf(ofSqlite(14))).toMatch(/let the user of Lookout write it/);
  });

  test('leaves damaged files, files elsewhere and other errors as they are', () => {
    for (const error of [ofSqlite(11), ofSqlite(5), ofSystem('EACCES', '/etc/operators.json'), new Error('another')]) {
      expect(dataDirProblem(dataDir, error)).toBeUndefined();
    }
  });
});
