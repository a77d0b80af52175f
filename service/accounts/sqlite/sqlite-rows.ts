import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Scope } from '#lib/contract/operation.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { foldName } from '../account-name.ts';
import type {
  AccessTerms,
  AccountRecord,
  AccountRows,
  AuditEntry,
  KeyRecord,
  NewAccount,
  NewKey,
} from '../ports/account-book.ts';

type Row = Readonly<Record<string, SQLInputValue>>;

const ACCOUNT_COLUMNS = [
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
/** `last_used_at` is the running service's. */
const KEY_COLUMNS = [
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

/** The rows of the transaction that is open. */
export function sqliteRows(database: DatabaseSync): AccountRows {
  const statements = new Map<string, StatementSync>();
  const rowsOf = (sql: string, ...values: SQLInputValue[]): Row[] => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...values) as unknown as Row[];
  };
  const insert = (table: string, columns: readonly string[], row: Row) =>
    database
      .prepare(
        `insert into ${table} (${columns.join(', ')}) values (${columns.map((column) => `:${column}`).join(', ')})`,
      )
      .run(row).lastInsertRowid;
  const update = (table: string, columns: readonly string[], id: string, row: Row) => {
    const assigned = columns.map((column) => `${column} = :${column}`).join(', ');
    database.prepare(`update ${table} set ${assigned} where id = :id`).run({ ...row, id: Number(id) });
  };

  return {
    async account(name) {
      return rowsOf('select * from account where folded_name = ?', foldName(name)).map(accountOf)[0];
    },
    async accounts() {
      return rowsOf('select * from account order by folded_name').map(accountOf);
    },
    async addAccount(account) {
      return { ...account, id: String(insert('account', ACCOUNT_COLUMNS, accountRow(account))) };
    },
    async replaceAccount(account) {
      update('account', ACCOUNT_COLUMNS, account.id, accountRow(account));
    },
    async removeAccount(id) {
      database.prepare('delete from account where id = ?').run(Number(id));
    },
    async keys(accountId) {
      return rowsOf('select * from api_key where account = ? order by id', Number(accountId)).map(keyOf);
    },
    async addKey(key) {
      return { ...key, id: String(insert('api_key', KEY_COLUMNS, keyRow(key))), lastUsedAt: null };
    },
    async replaceKey(key) {
      update('api_key', KEY_COLUMNS, key.id, keyRow(key));
    },
    async spentInDay(accountId, at) {
      const day = Math.floor(epochMs(at) / DAY_MS);
      const [row] = rowsOf('select in_day from spent where account = ? and day = ?', Number(accountId), day);
      return Number(row?.in_day ?? 0);
    },
    async ending({ from, to, days, limit }) {
      const span = [epochMs(from), epochMs(to), days, limit];
      const keys = rowsOf(
        `select * from api_key where expires_at > ? and expires_at <= ? and revoked_at is null and replaced_at is null
           and (noticed_days is null or noticed_days > ?) order by expires_at limit ?`,
        ...span,
      ).map(keyOf);
      const accountById = new Map<string, AccountRecord>();
      const accountOfKey = ({ accountId }: KeyRecord): AccountRecord => {
        const known =
          accountById.get(accountId) ??
          (rowsOf('select * from account where id = ?', Number(accountId)).map(accountOf)[0] as AccountRecord);
        accountById.set(accountId, known);
        return known;
      };
      const grants = rowsOf(
        `select * from account where grant_until > ? and grant_until <= ? and grant_state = 'active'
           and (grant_noticed_days is null or grant_noticed_days > ?) order by grant_until limit ?`,
        ...span,
      ).map(accountOf);
      return { keys: keys.map((key) => ({ key, account: accountOfKey(key) })), grants };
    },
    async addAudit({ at, by, act, account, details }) {
      insert('audit', ['at', 'by', 'act', 'account', 'folded_account', 'details'], {
        at: epochMs(at),
        by,
        act,
        account,
        folded_account: foldName(account),
        details: JSON.stringify(details),
      });
    },
    async audit({ account, limit }) {
      const rows = rowsOf(
        'select * from audit where ?1 is null or folded_account = ?1 order by id desc limit ?2',
        account === undefined ? null : foldName(account),
        limit,
      );
      return rows.map(auditEntryOf);
    },
  };
}

function accountRow({ name, createdAt, allowance, email, grant, request }: NewAccount): Row {
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

function accountOf(row: Row): AccountRecord {
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

function termsOf(row: Row, of: 'grant' | 'request'): AccessTerms {
  return {
    scopes: (row[`${of}_scopes`] as string).split(',').filter(Boolean) as Scope[],
    lookbackDays: row[`${of}_lookback_days`] as number,
    until: instantOrNull(row[`${of}_until`]),
    company: row[`${of}_company`] as string | null,
    purpose: row[`${of}_purpose`] as string | null,
  };
}

function keyRow(key: NewKey): Row {
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

function keyOf(row: Row): KeyRecord {
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

function auditEntryOf(row: Row): AuditEntry {
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

function instantOrNull(ms: SQLInputValue | undefined): UpstreamInstant | null {
  return ms === null || ms === undefined ? null : upstreamInstant(ms as number);
}
