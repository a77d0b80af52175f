import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Access } from '../accounts/access.ts';
import type { AccountWithKeys } from '../accounts/memory-access.ts';
import { makeAccountsFile } from '../accounts/sqlite/accounts-file.ts';
import { openSqliteAccess } from '../accounts/sqlite/sqlite-access.ts';
import { openSqliteBook } from '../accounts/sqlite/sqlite-book.ts';

export async function storeAccounts(
  accounts: readonly AccountWithKeys[],
  now: () => UpstreamInstant,
): Promise<{ readonly access: Access; close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const file = join(folder, 'accounts.sqlite');
  copyFileSync(emptyFile(), file);
  const book = openSqliteBook(file);
  book.change((rows) => {
    for (const { id, grant, scopes, lookbackDays, allowance, keys } of accounts) {
      const account = rows.addAccount({
        name: id,
        createdAt: now(),
        allowance,
        email: null,
        grant: {
          state: grant.active ? 'active' : 'revoked',
          scopes: [...scopes],
          lookbackDays,
          until: grant.expiresAt,
          company: null,
          purpose: null,
          decidedAt: now(),
          noticedDays: null,
        },
        request: null,
      });
      for (const key of keys) {
        rows.addKey({ ...key, accountId: account.id, startsWith: '', replacedAt: null, noticedDays: null });
      }
    }
  });
  book.close();
  let isClosed = false;
  const access = openSqliteAccess(file, {
    now,
    log(entry) {
      throw new Error(entry);
    },
  });
  return {
    access,
    close() {
      if (isClosed) return;
      isClosed = true;
      access.close();
      rmSync(folder, { recursive: true });
    },
  };
}

let madeEmpty: string | undefined;

function emptyFile(): string {
  if (madeEmpty !== undefined) return madeEmpty;
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  madeEmpty = join(folder, 'accounts.sqlite');
  makeAccountsFile(madeEmpty);
  return madeEmpty;
}
