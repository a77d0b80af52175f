import type { Scope } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Allowance } from './account.ts';

export interface AccessTerms {
  readonly scopes: readonly Scope[];
  /** How far back history may be read, in whole days from 1 to 30. */
  readonly lookbackDays: number;
  /** The first instant without access; null: it has no end. */
  readonly until: UpstreamInstant | null;
  readonly company: string | null;
  readonly purpose: string | null;
}

export interface AccessRequest extends AccessTerms {
  readonly requestedAt: UpstreamInstant;
}

export interface ApprovedGrant extends AccessTerms {
  readonly state: 'active' | 'revoked';
  readonly decidedAt: UpstreamInstant;
  /** Days before the end at the last notice; null: none yet. */
  readonly noticedDays: number | null;
}

export interface EmailAddress {
  readonly address: string;
  readonly verifiedAt: UpstreamInstant | null;
  readonly code: { readonly digest: Uint8Array; readonly until: UpstreamInstant } | null;
}

export interface NewAccount {
  readonly name: string;
  readonly createdAt: UpstreamInstant;
  readonly allowance: Allowance;
  readonly email: EmailAddress | null;
  /** The latest approval; null: access was never approved. */
  readonly grant: ApprovedGrant | null;
  readonly request: AccessRequest | null;
}

export interface AccountRecord extends NewAccount {
  readonly id: string;
}

export interface NewKey {
  readonly accountId: string;
  readonly name: string;
  /** The SHA-256 of the key. */
  readonly digest: Uint8Array;
  /** The first characters of the key, by which its holder recognises it. */
  readonly startsWith: string;
  readonly createdAt: UpstreamInstant;
  readonly expiresAt: UpstreamInstant;
  readonly revokedAt: UpstreamInstant | null;
  /** The time at which a rotation replaced it. */
  readonly replacedAt: UpstreamInstant | null;
  /** Days before the end at the last notice. */
  readonly noticedDays: number | null;
}

export interface KeyRecord extends NewKey {
  readonly id: string;
  readonly lastUsedAt: UpstreamInstant | null;
}

export interface AuditedAct {
  readonly at: UpstreamInstant;
  /** The system user who ran the command. */
  readonly by: string;
  readonly act: string;
  /** The name stays when the account is removed. */
  readonly account: string;
  /** The details of the act, without secrets. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The rows within one transaction. Names match in any case. */
export interface AccountRows {
  account(name: string): AccountRecord | undefined;
  accounts(): readonly AccountRecord[];
  addAccount(account: NewAccount): AccountRecord;
  replaceAccount(account: AccountRecord): void;
  removeAccount(id: string): void;
  /** All keys, oldest first, with revoked and expired ones. */
  keys(accountId: string): readonly KeyRecord[];
  addKey(key: NewKey): KeyRecord;
  /** The stored `lastUsedAt` stays as it is. */
  replaceKey(key: KeyRecord): void;
  spentInDay(accountId: string, at: UpstreamInstant): number;
  ending(span: EndingSpan): Ending;
  addAudit(entry: AuditedAct): void;
  audit(filter: { readonly account: string | undefined; readonly limit: number }): readonly AuditedAct[];
}

interface EndingSpan {
  /** Selects the ends after `from`, and up to `to` inclusive. */
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  /** The end is not announced yet for as many days or fewer. */
  readonly days: number;
  readonly limit: number;
}

interface Ending {
  /** Keys that are neither revoked nor replaced. */
  readonly keys: readonly { readonly account: AccountRecord; readonly key: KeyRecord }[];
  readonly grants: readonly AccountRecord[];
}

/**
 * The accounts, their keys, grants and requests, as administrators see them. Commands and notices change them here; the
 * running service reads the same rows by `AccountAccess`.
 */
export interface AccountBook {
  read<Result>(work: (rows: AccountRows) => Result): Result;
  /** The work is one isolated transaction, on disk when it returns. */
  change<Result>(work: (rows: AccountRows) => Result): Result;
  close(): void;
}

export const ACCOUNT_NAME_MAX_LENGTH = 64;

/** Refuses everything that terminals obey, hide or break a line at. */
const form = /^[\p{L}\p{N}\p{P}\p{S}](?:[\p{L}\p{M}\p{N}\p{P}\p{S}]| (?! ))*$/u;

/** A name in one Unicode form; `undefined` if it is empty, too long, or has invisible characters. */
export function readName(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined;
  const name = text.normalize('NFC');
  const fits =
    [...name].length <= ACCOUNT_NAME_MAX_LENGTH && form.test(name) && !name.endsWith(' ') && !name.startsWith('-');
  return fits ? name : undefined;
}

/** Equal for names that differ only in case or width. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFC');
}
