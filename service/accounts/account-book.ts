import type { Scope } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Allowance } from './account.ts';

/** Terms that an account holder requests and an administrator approves (Authentication: access process). */
export interface AccessTerms {
  readonly scopes: readonly Scope[];
  /** Whole days, 1 to 30. */
  readonly lookbackDays: number;
  /** Exclusive; null: without an end. */
  readonly until: UpstreamInstant | null;
  readonly company: string | null;
  /** The use of the positions, against which access is reviewed. */
  readonly purpose: string | null;
}

export interface AccessRequest extends AccessTerms {
  readonly requestedAt: UpstreamInstant;
}

export interface ApprovedGrant extends AccessTerms {
  readonly state: 'active' | 'revoked';
  readonly decidedAt: UpstreamInstant;
  /** The days before its end that were announced last; null: none yet. */
  readonly noticedDays: number | null;
}

export interface EmailAddress {
  readonly address: string;
  readonly verifiedAt: UpstreamInstant | null;
  /** SHA-256 of the code that was sent to the address, until it is used or expires. */
  readonly code: { readonly digest: Uint8Array; readonly until: UpstreamInstant } | null;
}

export interface NewAccount {
  readonly name: string;
  readonly createdAt: UpstreamInstant;
  readonly allowance: Allowance;
  readonly email: EmailAddress | null;
  /** The last approval; null: nothing was ever approved. */
  readonly grant: ApprovedGrant | null;
  /** The request that waits for a decision. */
  readonly request: AccessRequest | null;
}

export interface AccountRecord extends NewAccount {
  readonly id: string;
}

export interface NewKey {
  readonly accountId: string;
  readonly name: string;
  /** SHA-256 of the secret. */
  readonly digest: Uint8Array;
  /** The first characters, by which people know their keys. */
  readonly startsWith: string;
  readonly createdAt: UpstreamInstant;
  readonly expiresAt: UpstreamInstant;
  readonly revokedAt: UpstreamInstant | null;
  /** When a rotation put another key of the same name in its place. */
  readonly replacedAt: UpstreamInstant | null;
  /** The days before its end that were announced last; null: none yet. */
  readonly noticedDays: number | null;
}

export interface KeyRecord extends NewKey {
  readonly id: string;
  /** To the minute. */
  readonly lastUsedAt: UpstreamInstant | null;
}

export interface AuditedAct {
  readonly at: UpstreamInstant;
  /** The system user who ran the command. */
  readonly by: string;
  /** For example `key revoke`. */
  readonly act: string;
  /** The account's name, which stays when the account is removed. */
  readonly account: string;
  /** The changes, without secrets. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The accounts as one transaction sees them. Names are found whatever their case. */
export interface AccountRows {
  account(name: string): AccountRecord | undefined;
  /** By name. */
  accounts(): readonly AccountRecord[];
  addAccount(account: NewAccount): AccountRecord;
  replaceAccount(account: AccountRecord): void;
  /** With its keys and counters. */
  removeAccount(id: string): void;
  /** Oldest first; revoked and expired ones as well. */
  keys(accountId: string): readonly KeyRecord[];
  addKey(key: NewKey): KeyRecord;
  /** `lastUsedAt` stays as it is. */
  replaceKey(key: KeyRecord): void;
  /** The account's requests in the UTC day of `at`. */
  spentInDay(accountId: string, at: UpstreamInstant): number;
  /** Keys and grants whose end is to be announced, soonest first. */
  ending(span: EndingSpan): Ending;
  addAudit(entry: AuditedAct): void;
  /** Newest first. */
  audit(filter: { readonly account: string | undefined; readonly limit: number }): readonly AuditedAct[];
}

interface EndingSpan {
  /** Ends after `from` and until `to`, inclusive. */
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  /** Not announced yet for as many days or fewer. */
  readonly days: number;
  /** Of keys, and of grants. */
  readonly limit: number;
}

interface Ending {
  /** Neither revoked nor replaced. */
  readonly keys: readonly { readonly account: AccountRecord; readonly key: KeyRecord }[];
  /** Active. */
  readonly grants: readonly AccountRecord[];
}

/** The accounts, read and changed by any number of administrators at once, also while a service runs. */
export interface AccountBook {
  read<Result>(work: (rows: AccountRows) => Result): Result;
  /** A transaction: all of the work or none, isolated from other changes. It is on disk when `change` returns. */
  change<Result>(work: (rows: AccountRows) => Result): Result;
  close(): void;
}
