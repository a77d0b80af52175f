import { randomInt } from 'node:crypto';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { Allowance } from '../account.ts';
import type { AccountBook, AccountRecord, AccountRows, AuditedAct, EmailAddress, KeyRecord } from '../account-book.ts';
import { keyDigest } from '../api-key.ts';

/**
 * The subject of an administrator's command. Every act of this folder is one change of the book, with its line in the
 * audit.
 */
export interface Acting {
  readonly book: AccountBook;
  readonly now: UpstreamInstant;
  readonly by: string;
}

/** An act that changed nothing. Its message says what to do instead. */
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

const EMAIL_CODE_MS = 7 * DAY_MS;
/** It leaves out letters and digits that look alike. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 8;

export interface ChangedAccount {
  readonly account: AccountRecord;
  readonly emailCode: string | undefined;
}

export function addAccount(
  acting: Acting,
  { name, allowance, email }: { readonly name: string; readonly allowance: Allowance; readonly email?: string },
): ChangedAccount {
  return acting.book.change((rows) => {
    const present = rows.account(name);
    if (present) throw new ActRefused(`There is an account ${present.name} already: write another name.`);
    const unverified = email === undefined ? undefined : unverifiedEmail(email, acting.now);
    const account = rows.addAccount({
      name,
      createdAt: acting.now,
      allowance,
      email: unverified?.email ?? null,
      grant: null,
      request: null,
    });
    audit(rows, acting, 'account add', name, { allowance, ...(email === undefined ? {} : { email }) });
    return { account, emailCode: unverified?.code };
  });
}

/** A new allowance counts at once, and today's requests stay spent. */
export function setAccount(
  acting: Acting,
  name: string,
  { allowance, email }: { readonly allowance?: Allowance; readonly email?: string },
): ChangedAccount {
  return acting.book.change((rows) => {
    const before = requireAccount(rows, name);
    const unverified = email === undefined ? undefined : unverifiedEmail(email, acting.now);
    const account = {
      ...before,
      allowance: allowance ?? before.allowance,
      email: unverified?.email ?? before.email,
    };
    rows.replaceAccount(account);
    audit(rows, acting, 'account set', before.name, {
      ...(allowance === undefined ? {} : { allowance, before: before.allowance }),
      ...(email === undefined ? {} : { email }),
    });
    return { account, emailCode: unverified?.code };
  });
}

export function verifyEmail(acting: Acting, name: string, code: string): AccountRecord {
  return acting.book.change((rows) => {
    const before = requireAccount(rows, name);
    const { email } = before;
    if (!email) throw new ActRefused(`${before.name} has no e-mail address: account set sets one.`);
    if (email.verifiedAt !== null) throw new ActRefused(`The address ${email.address} is verified already.`);
    const isRight = email.code && Buffer.from(email.code.digest).equals(keyDigest(code.trim().toUpperCase()));
    if (!email.code || !isRight || acting.now >= email.code.until) {
      throw new ActRefused(
        `That is not the code sent to ${email.address}, or it is too old: account set with --email makes another.`,
      );
    }
    const account = { ...before, email: { address: email.address, verifiedAt: acting.now, code: null } };
    rows.replaceAccount(account);
    audit(rows, acting, 'account verify', before.name, { email: email.address });
    return account;
  });
}

/** Removes the account with its keys; its lines in the audit stay. */
export function removeAccount(acting: Acting, name: string): AccountRecord {
  return acting.book.change((rows) => {
    const account = requireAccount(rows, name);
    rows.removeAccount(account.id);
    audit(rows, acting, 'account remove', account.name);
    return account;
  });
}

export interface ListedAccount {
  readonly account: AccountRecord;
  readonly keys: readonly KeyRecord[];
  readonly spentToday: number;
}

export function listAccounts({ book, now }: Acting): readonly ListedAccount[] {
  return book.read((rows) => {
    const listed: ListedAccount[] = [];
    for (const account of rows.accounts()) {
      const [keys, spentToday] = [rows.keys(account.id), rows.spentInDay(account.id, now)];
      listed.push({ account, keys, spentToday });
    }
    return listed;
  });
}

function unverifiedEmail(address: string, now: UpstreamInstant): { email: EmailAddress; code: string } {
  const code = Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
  return {
    email: { address, verifiedAt: null, code: { digest: keyDigest(code), until: addMs(now, EMAIL_CODE_MS) } },
    code,
  };
}
