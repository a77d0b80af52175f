import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { addAccount } from '../administer/accounts.ts';
import { makeAccountsFile, openAccountsFile } from './accounts-file.ts';
import { openSqliteBook } from './sqlite-book.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'accounts-file-'));
  file = join(folder, 'accounts.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openAccountsFile(file, { whole: true });
const NOW = upstreamInstant(Date.UTC(2026, 10, 21));

function withAccounts(count: number): void {
  makeAccountsFile(file);
  const book = openSqliteBook(file);
  for (let index = 0; index < count; index += 1) {
    const account = { name: `account ${index}`, allowance: { perMinute: 1, perDay: 1 } };
    addAccount({ book, now: NOW, by: 'tester' }, account);
  }
  book.close();
}

function withVersion(version: number): void {
  withAccounts(1);
  const database = new DatabaseSync(file);
  database.exec(`pragma user_version = ${version}`);
  database.close();
}

describe('the accounts file', () => {
  test('is made whole, for its owner alone, and is kept where it is there already', () => {
    withAccounts(1);
    makeAccountsFile(file);
    const database = open();
    expect(database.prepare('select count(*) as count from account').get()).toEqual({ count: 1 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
    database.close();
    expect(readdirSync(folder)).toEqual(['accounts.sqlite']);
  });

  test('that others could read is closed to them', () => {
    makeAccountsFile(file);
    chmodSync(file, 0o644);
    open().close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('that is missing causes an error, and is not created by opening it', () => {
    expect(open).toThrow(/There are no accounts in .*account add/);
    expect(existsSync(file)).toBe(false);
  });

  test.skipIf(process.getuid?.() === 0)('that this user may not see is not taken for a missing one', () => {
    makeAccountsFile(file);
    chmodSync(folder, 0o000);
    expect(open).toThrow(/cannot be opened or written: EACCES.*Let this user/);
    expect(() => makeAccountsFile(file)).toThrow(/Let this user/);
    chmodSync(folder, 0o700);
  });

  test.each([
    ['empty', () => writeFileSync(file, '')],
    [
      'cut in half',
      () => {
        withAccounts(200);
        truncateSync(file, statSync(file).size / 2);
      },
    ],
    [
      'cut within its first page',
      () => {
        withAccounts(1);
        truncateSync(file, 1000);
      },
    ],
    ['text', () => writeFileSync(file, 'accounts, once upon a time\n'.repeat(1000))],
    [
      'overwritten in the middle',
      () => {
        withAccounts(200);
        const bytes = readFileSync(file);
        bytes.fill(0x5a, bytes.length / 2, bytes.length / 2 + 4096);
        writeFileSync(file, bytes);
      },
    ],
    [
      'the database of another program',
      () => {
        const database = new DatabaseSync(file);
        database.exec('create table theirs (id integer primary key)');
        database.close();
      },
    ],
    ['of no version', () => withVersion(-2)],
  ])('that is %s is refused with what to do, and stays as it is', (_what, damage) => {
    damage();
    const before = readFileSync(file);
    expect(open).toThrow(/accounts\.sqlite is damaged: .*restore the directory from a backup/);
    makeAccountsFile(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('of a newer Lookout is refused as such, and stays as it is', () => {
    withVersion(2);
    const before = readFileSync(file);
    expect(open).toThrow(/accounts\.sqlite was written by a newer Lookout \(version 2, this one reads 1\): start that/);
    makeAccountsFile(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('that is missing although its log exists is not replaced', () => {
    withAccounts(1);
    const database = open();
    database.exec('update account set per_day = 2');
    const log = readFileSync(`${file}-wal`);
    database.close();
    rmSync(file);
    writeFileSync(`${file}-wal`, log);
    expect(() => makeAccountsFile(file)).toThrow(/is missing, but its log .* is there: restore both/);
    expect(open).toThrow(/restore both/);
    expect(existsSync(file)).toBe(false);
  });

  test('that another process is changing for long is left alone', () => {
    withAccounts(1);
    const other = open();
    other.exec('begin immediate');
    const book = openSqliteBook(file, { busyTimeoutMs: 10 });
    expect(() => book.change((rows) => rows.accounts())).toThrow(/Another process is changing .* Try again/);
    other.exec('rollback');
    expect(book.change((rows) => rows.accounts())).toHaveLength(1);
    other.close();
    book.close();
  });
});
