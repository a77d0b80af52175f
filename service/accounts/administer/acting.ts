import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { AccountBook, AccountRecord, AccountRows, AuditedAct } from '../account-book.ts';

export interface Acting {
  readonly book: AccountBook;
  readonly now: UpstreamInstant;
  readonly by: string;
}

/** Nothing was changed. The message says what to do instead. */
export class ActRefused extends Error {}

export function requireAccount(rows: AccountRows, name: string): AccountRecord {
  const account = rows.account(name);
  if (account) return account;
  throw new ActRefused(`There is no account ${name}: account list shows all, account add makes one.`);
}

export function audit(
  rows: AccountRows,
  { now, by }: Acting,
  act: string,
  account: string,
  details: AuditedAct['details'] = {},
): void {
  rows.addAudit({ at: now, by, act, account, details });
}
