import { epochMs } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { Query } from '../../postgres/query.ts';
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
} from '../account-columns.ts';
import { foldName } from '../account-name.ts';
import type { AccountRecord, AccountRows } from '../ports/account-book.ts';

/** The rows of the transaction that `query` runs in. */
export function postgresRows(query: Query): AccountRows {
  async function insert(table: string, columns: readonly string[], row: Row): Promise<string> {
    const [added] = await query<{ id: number }>(
      `insert into lookout.${table} (${columns.join(', ')}) values (${numbered(columns).join(', ')}) returning id`,
      columns.map((column) => row[column]),
    );
    return String(added?.id);
  }

  async function update(table: string, columns: readonly string[], id: string, row: Row): Promise<void> {
    const places = numbered(columns);
    const assigned = columns.map((column, index) => `${column} = ${places[index]}`).join(', ');
    const values = [...columns.map((column) => row[column]), id];
    await query(`update lookout.${table} set ${assigned} where id = $${values.length}`, values);
  }

  return {
    async account(name) {
      return (await query('select * from lookout.account where folded_name = $1', [foldName(name)])).map(accountOf)[0];
    },
    async accounts() {
      return (await query('select * from lookout.account order by folded_name collate "C"')).map(accountOf);
    },
    async addAccount(account) {
      return { ...account, id: await insert('account', ACCOUNT_COLUMNS, accountRow(account)) };
    },
    async replaceAccount(account) {
      await update('account', ACCOUNT_COLUMNS, account.id, accountRow(account));
    },
    async removeAccount(id) {
      // Locked in the same order as by spending, this row before the account's: otherwise each would wait for the other.
      await query('select from lookout.spent_in_minute where account = $1 for update', [id]);
      await query('delete from lookout.account where id = $1', [id]);
    },
    async keys(accountId) {
      return (await query('select * from lookout.api_key where account = $1 order by id', [accountId])).map(keyOf);
    },
    async addKey(key) {
      return { ...key, id: await insert('api_key', KEY_COLUMNS, keyRow(key)), lastUsedAt: null };
    },
    async replaceKey(key) {
      await update('api_key', KEY_COLUMNS, key.id, keyRow(key));
    },
    async spentInDay(accountId, at) {
      const day = Math.floor(epochMs(at) / DAY_MS);
      const [row] = await query<{ n: number }>('select n from lookout.spent_in_day where account = $1 and day = $2', [
        accountId,
        day,
      ]);
      return row?.n ?? 0;
    },
    async ending({ from, to, days, limit }) {
      const span = [epochMs(from), epochMs(to), days, limit];
      const ending = await query(
        `select * from lookout.api_key where expires_at > $1 and expires_at <= $2 and revoked_at is null and replaced_at is null
           and (noticed_days is null or noticed_days > $3) order by expires_at, id limit $4`,
        span,
      );
      const keys = ending.map(keyOf);
      const holders = await query('select * from lookout.account where id = any ($1::bigint[])', [
        keys.map(({ accountId }) => accountId),
      ]);
      const accountById = new Map(holders.map(accountOf).map((account) => [account.id, account]));
      const grants = await query(
        `select * from lookout.account where grant_until > $1 and grant_until <= $2 and grant_state = 'active'
           and (grant_noticed_days is null or grant_noticed_days > $3) order by grant_until, id limit $4`,
        span,
      );
      return {
        keys: keys.map((key) => ({ key, account: accountById.get(key.accountId) as AccountRecord })),
        grants: grants.map(accountOf),
      };
    },
    async addAudit(act) {
      await insert('audit', AUDIT_COLUMNS, auditedActRow(act));
    },
    async audit({ account, limit }) {
      const rows = await query(
        'select * from lookout.audit where $1::text is null or folded_account = $1 order by id desc limit $2',
        [account === undefined ? null : foldName(account), limit],
      );
      return rows.map(auditedActOf);
    },
  };
}

function numbered(columns: readonly string[]): string[] {
  return columns.map((_, index) => `$${index + 1}`);
}
