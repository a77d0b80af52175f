import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dataDirProblem } from './data-dir-problem.ts';

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
