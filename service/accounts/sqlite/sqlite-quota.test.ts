import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { addAccount } from '../administer/accounts.ts';
import { declareQuotaSuite } from '../quota-suite.fixture.ts';
import { makeAccountsFile } from './accounts-file.ts';
import { openSqliteAccess, type SqliteAccess } from './sqlite-access.ts';
import { openSqliteBook } from './sqlite-book.ts';

let folder: string;
let file: string;
let access: SqliteAccess;
let accounts = 0;
let currentNow = () => upstreamInstant(0);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-quota-'));
  file = join(folder, 'accounts.sqlite');
  makeAccountsFile(file);
  access = openSqliteAccess(file, {
    now: () => currentNow(),
    log(entry) {
      throw new Error(entry);
    },
  });
});
afterAll(() => {
  access.close();
  rmSync(folder, { recursive: true });
});

declareQuotaSuite(
  'SQLite',
  async (now) => {
    currentNow = now;
    const book = openSqliteBook(file, { whole: false });
    accounts += 1;
    const { account } = addAccount(
      { book, now: now(), by: 'tester' },
      { name: `account ${accounts}`, allowance: { perMinute: 1, perDay: 1 } },
    );
    book.close();
    return { quota: access.quota, accountId: account.id };
  },
  15,
);
