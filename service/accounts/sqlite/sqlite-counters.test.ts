import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type Account, ALL_SCOPES } from '../account.ts';
import { addAccount } from '../administer/accounts.ts';
import { makeAccountsFile } from './accounts-file.ts';
import { openSqliteAccess, type SqliteAccess } from './sqlite-access.ts';
import { openSqliteBook } from './sqlite-book.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 21, 12, 0, 30));
const PER_DAY = 5000;
const BLOCK = 50;

let folder: string;
let file: string;
let account: Account;
let now: UpstreamInstant;
let entries: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counters-'));
  file = join(folder, 'accounts.sqlite');
  makeAccountsFile(file);
  now = START;
  entries = [];
  const book = openSqliteBook(file);
  const allowance = { perMinute: 500, perDay: PER_DAY };
  const { account: added } = addAccount({ book, now, by: 'tester' }, { name: 'A', allowance });
  book.close();
  account = {
    id: added.id,
    grant: { active: true, expiresAt: null },
    scopes: new Set(ALL_SCOPES),
    lookbackDays: 30,
    allowance,
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (bootId: string) =>
  openSqliteAccess(file, { now: () => now, log: (entry) => entries.push(entry), bootId });

async function spend(access: SqliteAccess, times: number) {
  let left = { minute: 0, day: 0 };
  for (let count = 0; count < times; count += 1) left = (await access.quota.spend(account)).left;
  return left;
}

function spentOnDisk(): unknown {
  const database = new DatabaseSync(file);
  const row = database.prepare('select in_day, paid_in_day, in_minute from spent order by day desc').get();
  database.close();
  return row;
}

describe('the counters on disk', () => {
  test('a process that is killed loses nothing and pays nothing', async () => {
    await spend(open('this boot'), 73);
    expect(spentOnDisk()).toEqual({ in_day: 73, paid_in_day: 2 * BLOCK, in_minute: 73 });
    expect(await spend(open('this boot'), 1)).toEqual({ minute: 500 - 74, day: PER_DAY - 74 });
  });

  test('after a power cut, what was paid for in advance counts as spent, in this minute too', async () => {
    await spend(open('this boot'), 73);
    expect(await spend(open('the next boot'), 1)).toEqual({
      minute: 500 - 2 * BLOCK - 1,
      day: PER_DAY - 2 * BLOCK - 1,
    });
  });

  test('a power cut some minutes ago leaves the minute what was lost at most', async () => {
    await spend(open('this boot'), 73);
    now = addMs(START, 5 * MINUTE_MS);
    expect(await spend(open('the next boot'), 1)).toEqual({ minute: 500 - 28, day: PER_DAY - 2 * BLOCK - 1 });
  });

  test('after a stop of the service, the machine may restart without a loss', async () => {
    const access = open('this boot');
    await spend(access, 73);
    access.close();
    expect(await spend(open('the next boot'), 1)).toEqual({ minute: 500 - 74, day: PER_DAY - 74 });
  });

  test('where the kernel says nothing of its start, each start counts as one', async () => {
    await spend(open(''), 73);
    expect((await spend(open(''), 1)).day).toBe(PER_DAY - 2 * BLOCK - 1);
  });

  test('a start on the next day has all of it', async () => {
    await spend(open('this boot'), 73);
    now = addMs(START, DAY_MS);
    expect((await spend(open('this boot'), 1)).day).toBe(PER_DAY - 1);
  });

  test('a service that runs for days forgets those long gone', async () => {
    const access = open('this boot');
    for (let day = 0; day < 12; day += 1) {
      now = addMs(START, day * DAY_MS);
      await spend(access, 1);
    }
    const database = new DatabaseSync(file);
    expect(database.prepare('select count(*) as rows from spent').get()).toEqual({ rows: 7 });
    database.close();
    access.close();
  });

  test('a clock that was a year ahead, over a start, takes nothing away', async () => {
    await spend(open('this boot'), 73);
    now = addMs(START, 365 * DAY_MS);
    await spend(open('this boot'), 1);
    now = START;
    expect((await spend(open('this boot'), 1)).day).toBe(PER_DAY - 74);
  });

  test('while they cannot be written the service counts on, says so once, and writes them when it can', async () => {
    const access = open('this boot');
    await spend(access, 10);
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    expect(await spend(access, 3)).toEqual({ minute: 487, day: PER_DAY - 13 });
    expect(entries).toEqual([expect.stringMatching(/in memory only/)]);
    expect(spentOnDisk()).toMatchObject({ in_day: 10 });
    other.exec('rollback');
    other.close();
    await spend(access, 1);
    expect(entries).toHaveLength(2);
    expect(spentOnDisk()).toMatchObject({ in_day: 14 });
    access.close();
  });
});
