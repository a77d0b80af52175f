// Checks of the database, by statements that only read.
import 'server-only';
import { type Kysely, sql } from 'kysely';
import { DATABASE_NOW_MS } from '../database/database-clock.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { requireServer } from '../database/postgres.ts';
import {
  type DatabaseTarget,
  ownTables,
  readSchema,
  requireUnmoved,
  schemaFailure,
  whereOf,
} from '../database/schema.ts';
import { fine, type Said, unknown, wrong } from './examine.ts';
import { CLOSED, whereabouts } from './machine-checks.ts';

/** Rejects with a `DatabaseFailure`. */
export type ReadsDatabase = <Result>(read: (query: Kysely<unknown>) => Promise<Result>) => Promise<Result>;

export function databaseFindings(target: DatabaseTarget, reads: ReadsDatabase): Promise<readonly Said[]> {
  const where = whereOf(target);
  return finding(
    target,
    () =>
      reads(async (query) => {
        if (target.dialect === 'postgres') return await postgresFinding(query, where, target.user);
        await requireUnmoved(query, where);
        return fine(`${where} can be read`);
      }),
    ({ message }) => wrong(message),
  );
}

export function schemaFindings(target: DatabaseTarget, reads: ReadsDatabase): Promise<readonly Said[]> {
  return finding(
    target,
    () =>
      reads(async (query) => {
        const state = await readSchema(query, target.dialect);
        if (state.kind === 'empty') return fine('It has no tables yet: the first start makes them');
        if (state.kind === 'current') return fine(`${state.version}, fingerprint ${state.fingerprint}`);
        return wrong(schemaFailure(state, whereOf(target)).message);
      }),
    // The line of the database says what to do.
    () => unknown('The database cannot be read'),
  );
}

async function finding(
  target: DatabaseTarget,
  read: () => Promise<Said>,
  failed: (failure: DatabaseFailure) => Said,
): Promise<readonly Said[]> {
  const place = target.dialect === 'sqlite' ? whereabouts(target.file) : 'there';
  if (place === 'missing') return [fine('There is no database yet: the first start makes it')];
  if (place === 'closed') return [CLOSED];
  try {
    return [await read()];
  } catch (error) {
    if (!(error instanceof DatabaseFailure)) throw error;
    return [failed(error)];
  }
}

async function postgresFinding(query: Kysely<unknown>, where: string, user: string): Promise<Said> {
  await requireServer(query, where);
  const { rows } = await sql<{ version: string; isStandby: boolean; mayCreate: boolean | null }>`
    select current_setting('server_version') as version, pg_is_in_recovery() as "isStandby",
      has_schema_privilege(current_schema(), 'create') as "mayCreate"`.execute(query);
  const { version, isStandby, mayCreate } = rows[0]!;
  if (isStandby)
    return wrong(`${where} is a standby, which takes no changes`, 'Promote it, or set DATABASE_URL to the primary.');
  const owner = `Make ${user} the owner of the database and its tables.`;
  if (mayCreate !== true) return wrong(`${user} may not make tables in ${where}`, owner);
  const closed = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and pg_table_is_visible(oid)
      and relname in (${sql.join(await ownTables())}) and not pg_has_role(relowner, 'member')
      order by relname limit 3`.execute(query);
  if (closed.rows.length > 0)
    return wrong(`${user} does not own ${closed.rows.map(({ name }) => name).join(', ')} in ${where}`, owner);
  await requireUnmoved(query, where);
  return fine(`${where} is PostgreSQL ${version}`);
}

/** By how much the database's clock is ahead; `undefined` for a file, which has none. */
export async function databaseAheadMs(target: DatabaseTarget, reads: ReadsDatabase): Promise<number | undefined> {
  if (target.dialect === 'sqlite') return undefined;
  return await reads(async (query) => {
    const beforeMs = Date.now();
    const { rows } = await sql<{ ms: number }>`select ${DATABASE_NOW_MS} as ms`.execute(query);
    return rows[0]!.ms - (beforeMs + Date.now()) / 2;
  }).catch(() => undefined);
}
