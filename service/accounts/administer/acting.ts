import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { AccountBook, AccountRecord, AccountRows, AuditedAct } from '../account-book.ts';

/** Who administers accounts, where and when. */
export interface Acting {
  readonly book: AccountBook;
  readonly now: UpstreamInstant;
  /** Who it is, for the audit. */
  readonly by: string;
}

/** What was asked cannot be done; the message says what to do instead. Nothing was changed. */
export class ActRefused extends Error {}

export function requireAccount(rows: AccountRows, name: string): AccountRecord {
  const account = rows.account(name);
  if (account) return account;
  throw new ActRefused(`There is no account ${name}: account list shows all, account add makes one.`);
}

/** Records the act in the transaction that does it. */
export function audit(
  rows: AccountRows,
  { now, by }: Acting,
  act: string,
  account: string,
  details: AuditedAct['details'] = {},
): void {
  rows.addAudit({ at: now, by, act, account, details });
}
