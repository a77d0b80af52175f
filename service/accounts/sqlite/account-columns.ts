import type { Scope } from '#lib/contract/operation.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { AccessTerms, AccountRecord, AuditedAct, KeyRecord, NewAccount, NewKey } from '../account-book.ts';
import { foldName } from '../account-name.ts';

/** Instants are ms since 1970; scopes are joined by commas. */
export type Row = Readonly<Record<string, null | number | string | Uint8Array>>;
type StoredRow = Readonly<Record<string, unknown>>;

export const ACCOUNT_COLUMNS = [
  'name',
  'folded_name',
  'created_at',
  'per_minute',
  'per_day',
  'email',
  'email_verified_at',
  'email_code',
  'email_code_until',
  'grant_state',
  'grant_scopes',
  'grant_lookback_days',
  'grant_until',
  'grant_decided_at',
  'grant_company',
  'grant_purpose',
  'grant_noticed_days',
  'request_scopes',
  'request_lookback_days',
  'request_until',
  'request_company',
  'request_purpose',
  'requested_at',
];
/** All but `last_used_at`, which the running service writes. */
export const KEY_COLUMNS = [
  'account',
  'name',
  'folded_name',
  'digest',
  'starts_with',
  'created_at',
  'expires_at',
  'revoked_at',
  'replaced_at',
  'noticed_days',
];

export function accountRow({ name, createdAt, allowance, email, grant, request }: NewAccount): Row {
  return {
    name,
    folded_name: foldName(name),
    created_at: epochMs(createdAt),
    per_minute: allowance.perMinute,
    per_day: allowance.perDay,
    email: email?.address ?? null,
    email_verified_at: msOrNull(email?.verifiedAt),
    email_code: email?.code?.digest ?? null,
    email_code_until: msOrNull(email?.code?.until),
    grant_state: grant?.state ?? 'none',
    grant_scopes: grant?.scopes.join() ?? '',
    grant_lookback_days: grant?.lookbackDays ?? 1,
    grant_until: msOrNull(grant?.until),
    grant_decided_at: msOrNull(grant?.decidedAt),
    grant_company: grant?.company ?? null,
    grant_purpose: grant?.purpose ?? null,
    grant_noticed_days: grant?.noticedDays ?? null,
    request_scopes: request?.scopes.join() ?? null,
    request_lookback_days: request?.lookbackDays ?? null,
    request_until: msOrNull(request?.until),
    request_company: request?.company ?? null,
    request_purpose: request?.purpose ?? null,
    requested_at: msOrNull(request?.requestedAt),
  };
}

export function accountOf(row: StoredRow): AccountRecord {
  const state = row.grant_state as 'none' | 'active' | 'revoked';
  return {
    id: String(row.id),
    name: row.name as string,
    createdAt: upstreamInstant(row.created_at as number),
    allowance: { perMinute: row.per_minute as number, perDay: row.per_day as number },
    email:
      row.email === null
        ? null
        : {
            address: row.email as string,
            verifiedAt: instantOrNull(row.email_verified_at),
            code:
              row.email_code === null
                ? null
                : {
                    digest: row.email_code as Uint8Array,
                    until: upstreamInstant(row.email_code_until as number),
                  },
          },
    grant:
      state === 'none'
        ? null
        : {
            ...termsOf(row, 'grant'),
            state,
            decidedAt: upstreamInstant(row.grant_decided_at as number),
            noticedDays: row.grant_noticed_days as number | null,
          },
    request:
      row.requested_at === null
        ? null
        : { ...termsOf(row, 'request'), requestedAt: upstreamInstant(row.requested_at as number) },
  };
}

function termsOf(row: StoredRow, of: 'grant' | 'request'): AccessTerms {
  return {
    scopes: (row[`${of}_scopes`] as string).split(',').filter(Boolean) as Scope[],
    lookbackDays: row[`${of}_lookback_days`] as number,
    until: instantOrNull(row[`${of}_until`]),
    company: row[`${of}_company`] as string | null,
    purpose: row[`${of}_purpose`] as string | null,
  };
}

export function keyRow(key: NewKey): Row {
  return {
    account: Number(key.accountId),
    name: key.name,
    folded_name: foldName(key.name),
    digest: key.digest,
    starts_with: key.startsWith,
    created_at: epochMs(key.createdAt),
    expires_at: epochMs(key.expiresAt),
    revoked_at: msOrNull(key.revokedAt),
    replaced_at: msOrNull(key.replacedAt),
    noticed_days: key.noticedDays,
  };
}

export function keyOf(row: StoredRow): KeyRecord {
  return {
    id: String(row.id),
    accountId: String(row.account),
    name: row.name as string,
    digest: row.digest as Uint8Array,
    startsWith: row.starts_with as string,
    createdAt: upstreamInstant(row.created_at as number),
    expiresAt: upstreamInstant(row.expires_at as number),
    revokedAt: instantOrNull(row.revoked_at),
    replacedAt: instantOrNull(row.replaced_at),
    noticedDays: row.noticed_days as number | null,
    lastUsedAt: instantOrNull(row.last_used_at),
  };
}

export const AUDIT_COLUMNS = ['at', 'by', 'act', 'account', 'folded_account', 'details'];

export function auditedActRow({ at, by, act, account, details }: AuditedAct): Row {
  return { at: epochMs(at), by, act, account, folded_account: foldName(account), details: JSON.stringify(details) };
}

export function auditedActOf(row: StoredRow): AuditedAct {
  return {
    at: upstreamInstant(row.at as number),
    by: row.by as string,
    act: row.act as string,
    account: row.account as string,
    details: JSON.parse(row.details as string),
  };
}

function msOrNull(instant: UpstreamInstant | null | undefined): number | null {
  return instant === null || instant === undefined ? null : epochMs(instant);
}

function instantOrNull(ms: unknown): UpstreamInstant | null {
  return ms === null || ms === undefined ? null : upstreamInstant(ms as number);
}
