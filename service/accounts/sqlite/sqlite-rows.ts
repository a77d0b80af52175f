import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { epochMs } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { AccountRecord, AccountRows, KeyRecord } from '../account-book.ts';
import { foldName } from '../account-name.ts';
import {
  ACCOUNT_COLUMNS,
  AUDIT_COLUMNS,
  accountOf,
  accountRow,
  auditedActOf,
  auditedActRow,
  KEY_COLUMNS,
  keyOf,
  keyRow,
  type Row,
} from './account-columns.ts';

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
    account(name) {
      return rowsOf('select * from account where folded_name = ?', foldName(name)).map(accountOf)[0];
    },
    accounts() {
      return rowsOf('select * from account order by folded_name').map(accountOf);
    },
    addAccount(account) {
      return { ...account, id: String(insert('account', ACCOUNT_COLUMNS, accountRow(account))) };
    },
    replaceAccount(account) {
      update('account', ACCOUNT_COLUMNS, account.id, accountRow(account));
    },
    removeAccount(id) {
      database.prepare('delete from account where id = ?').run(Number(id));
    },
    keys(accountId) {
      return rowsOf('select * from api_key where account = ? order by id', Number(accountId)).map(keyOf);
    },
    addKey(key) {
      return { ...key, id: String(insert('api_key', KEY_COLUMNS, keyRow(key))), lastUsedAt: null };
    },
    replaceKey(key) {
      update('api_key', KEY_COLUMNS, key.id, keyRow(key));
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
      insert('audit', AUDIT_COLUMNS, auditedActRow(act));
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
