import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { addAccount } from '../administer/accounts.ts';
import { declareAccountsSuite } from '../administer/accounts-suite.fixture.ts';
import { declareQuotaSuite } from '../ports/quota-suite.fixture.ts';
import { makeAccountsFile } from './accounts-file.ts';
import { openSqliteAccess, type SqliteAccess } from './sqlite-access.ts';
import { openSqliteBook } from './sqlite-book.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-accounts-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
let accounts = 0;
function newFile(): string {
  files += 1;
  const file = join(folder, `accounts-${files}.sqlite`);
  makeAccountsFile(file);
  return file;
}

const unexpected = (entry: string) => {
  throw new Error(entry);
};

declareAccountsSuite('SQLite', async (now) => {
  const file = newFile();
  const access = openSqliteAccess(file, { now, log: unexpected });
  const books = [openSqliteBook(file), openSqliteBook(file)] as const;
  return {
    access,
    books,
    async close() {
      await Promise.all(books.map((book) => book.close()));
      access.close();
    },
  };
});

let quotaNow = () => upstreamInstant(0);
let ofQuota: { readonly file: string; readonly access: SqliteAccess } | undefined;
afterAll(() => ofQuota?.access.close());

declareQuotaSuite(
  'SQLite',
  async (now) => {
    quotaNow = now;
    if (!ofQuota) {
      const file = newFile();
      ofQuota = { file, access: openSqliteAccess(file, { now: () => quotaNow(), log: unexpected }) };
    }
    const { file, access } = ofQuota;
    const book = openSqliteBook(file, { whole: false });
    accounts += 1;
    const { account } = await addAccount(
      { book, now: now(), by: 'tester' },
      { name: `account ${accounts}`, allowance: { perMinute: 1, perDay: 1 } },
    );
    await book.close();
    return { handles: [access.quota, access.quota], accountId: account.id };
  },
  15,
);
