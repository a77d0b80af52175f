import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Scope } from '#lib/contract/operation.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import {
  type AccessTerms,
  type AccountBook,
  type AccountRecord,
  type AccountRows,
  type AuditedAct,
  foldName,
  type KeyRecord,
  type NewAccount,
  type NewKey,
} from '../account-book.ts';
import { explained, openAccountsFile } from './accounts-file.ts';

/**
 * The accounts of a file, for commands and notices. A change is one transaction, on disk when it returns; if it throws,
 * nothing was changed.
 * @throws AccountsFileError
 */
export function openSqliteBook(
  file: string,
  { whole = true, busyTimeoutMs }: { readonly whole?: boolean; readonly busyTimeoutMs?: number } = {},
): AccountBook {
  const database = openAccountsFile(file, { whole, busyTimeoutMs });
  const rows = sqliteRows(database);

  function within<Result>(begin: string, work: (rows: AccountRows) => Result): Result {
    try {
      database.exec(begin);
      const result = work(rows);
      database.exec('commit');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw explained(error, file);
    }
  }

  return {
    read: (work) => within('begin', work),
    change: (work) => within('begin immediate', work),
    close: () => database.close(),
  };
}

function sqliteRows(database: DatabaseSync): AccountRows {
  const statements = new Map<string, StatementSync>();
  const rowsOf = (sql: string, ...values: SQLInputValue[]): StoredRow[] => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...values) as unknown as StoredRow[];
  };
  const insert = (table: string, row: TableRow) => {
    const columns = Object.keys(row);
    const values = columns.map((column) => `:${column}`).join(', ');
    return database.prepare(`insert into ${table} (${columns.join(', ')}) values (${values})`).run(row).lastInsertRowid;
  };
  const update = (table: string, id: string, row: TableRow) => {
    const assigned = Object.keys(row)
      .map((column) => `${column} = :${column}`)
      .join(', ');
    database.prepare(`update ${table} set ${assigned} where id = :id`).run({ ...row, id: Number(id) });
  };

  return {
    account(name) {
      return rowsOf('select * from account where folded_name = ?', foldName(name)).map(accountOf)[0];
    },
    accounts() {
      return rowsOf('select * from account order by folded_name').map(accountOf);
    },
    addAccount(account) {
      return { ...account, id: String(insert('account', accountRow(account))) };
    },
    replaceAccount(account) {
      update('account', account.id, accountRow(account));
    },
    removeAccount(id) {
      database.prepare('delete from account where id = ?').run(Number(id));
    },
    keys(accountId) {
      return rowsOf('select * from api_key where account = ? order by id', Number(accountId)).map(keyOf);
    },
    addKey(key) {
      return { ...key, id: String(insert('api_key', keyRow(key))), lastUsedAt: null };
    },
    replaceKey(key) {
      update('api_key', key.id, keyRow(key));
    },
    spentInDay(accountId, at) {
      const day = Math.floor(epochMs(at) / DAY_MS);
      const [row] = rowsOf('select in_day from spent where account = ? and day = ?', Number(accountId), day);
      return Number(row?.in_day ?? 0);
    },
    ending({ from, to, days, limit }) {
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
    addAudit(act) {
      insert('audit', auditedActRow(act));
    },
    audit({ account, limit }) {
      const rows = rowsOf(
        'select * from audit where ?1 is null or folded_account = ?1 order by id desc limit ?2',
        account === undefined ? null : foldName(account),
        limit,
      );
      return rows.map(auditedActOf);
    },
  };
}

/** Values by column, in the form of the tables: instants are ms since 1970, scopes are joined by commas. */
type TableRow = Readonly<Record<string, null | number | string | Uint8Array>>;
type StoredRow = Readonly<Record<string, unknown>>;

function accountRow({ name, createdAt, allowance, email, grant, request }: NewAccount): TableRow {
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

function accountOf(row: StoredRow): AccountRecord {
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

/** All columns but `last_used_at`, which the running service writes. */
function keyRow(key: NewKey): TableRow {
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

function keyOf(row: StoredRow): KeyRecord {
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

function auditedActRow({ at, by, act, account, details }: AuditedAct): TableRow {
  return { at: epochMs(at), by, act, account, folded_account: foldName(account), details: JSON.stringify(details) };
}

function auditedActOf(row: StoredRow): AuditedAct {
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
