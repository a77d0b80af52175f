// Checks of the database, by statements that only read.
import 'server-only';
import { existsSync, statSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
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
import { bytesText } from './machine-checks.ts';

/** Rejects with a `DatabaseFailure`. */
export type ReadsDatabase = <Result>(read: (query: Kysely<unknown>) => Promise<Result>) => Promise<Result>;

const NOT_MADE = fine('There is no database yet: the first start makes it');
const LAG_MAX_S = 60;

export async function databaseFindings(target: DatabaseTarget, reads: ReadsDatabase): Promise<readonly Said[]> {
  if (isMissing(target)) return [NOT_MADE];
  const where = whereOf(target);
  return unlessFailed(() =>
    reads(async (query) => {
      if (target.dialect === 'postgres') return await postgresFindings(query, where, target.user);
      await requireUnmoved(query, where);
      return [fine(`${where} can be read, ${bytesText(statSync(target.file).size)}`)];
    }),
  );
}

export async function schemaFindings(target: DatabaseTarget, reads: ReadsDatabase): Promise<readonly Said[]> {
  if (isMissing(target)) return [NOT_MADE];
  return unlessFailed(
    () =>
      reads(async (query) => {
        const state = await readSchema(query, target.dialect);
        if (state.kind === 'empty') return [fine('It has no tables yet: the first start makes them')];
        if (state.kind === 'current') return [fine(`${state.version}, fingerprint ${state.fingerprint}`)];
        if (state.kind === 'older')
          return [
            wrong(
              `${state.version} is older than these files, which need ${state.needed}`,
              'Back up, then start Lookout again: its start migrates after a copy.',
            ),
          ];
        return [wrong(schemaFailure(state, whereOf(target)).message)];
      }),
    // The line of the database says what to do.
    () => unknown('The database cannot be read'),
  );
}

function isMissing(target: DatabaseTarget): boolean {
  return target.dialect === 'sqlite' && !existsSync(target.file);
}

async function unlessFailed(
  read: () => Promise<readonly Said[]>,
  failed = ({ message }: DatabaseFailure) => wrong(message),
): Promise<readonly Said[]> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DatabaseFailure)) throw error;
    return [failed(error)];
  }
}

interface Standby {
  readonly name: string | null;
  /** `null` for a role that may not see it. */
  readonly state: string | null;
  readonly lagS: number | null;
}

async function postgresFindings(query: Kysely<unknown>, where: string, user: string): Promise<readonly Said[]> {
  await requireServer(query, where);
  const { rows } = await sql<{ version: string; bytes: number; isStandby: boolean; mayCreate: boolean | null }>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      pg_is_in_recovery() as "isStandby", has_schema_privilege(current_schema(), 'create') as "mayCreate"
  `.execute(query);
  const { version, bytes, isStandby, mayCreate } = rows[0]!;
  if (isStandby)
    return [wrong(`${where} is a standby, which takes no changes`, 'Promote it, or set DATABASE_URL to the primary.')];
  const owner = `Make ${user} the owner of the database and its tables.`;
  if (mayCreate !== true) return [wrong(`${user} may not make tables in ${where}`, owner)];
  const closed = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and pg_table_is_visible(oid)
      and relname in (${sql.join(await ownTables())}) and not (
        has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
        and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')
        and pg_has_role(relowner, 'member')
      ) order by relname limit 3`.execute(query);
  if (closed.rows.length > 0)
    return [wrong(`${user} may not change ${closed.rows.map(({ name }) => name).join(', ')} in ${where}`, owner)];
  await requireUnmoved(query, where);
  const standbys = await sql<Standby>`
    select application_name as name, state, extract(epoch from coalesce(replay_lag, interval '0'))::float8 as "lagS"
    from pg_stat_replication order by 1`.execute(query);
  return standbyFindings(`${where} is PostgreSQL ${version}, ${bytesText(bytes)}`, user, standbys.rows);
}

export function standbyFindings(state: string, user: string, standbys: readonly Standby[]): readonly Said[] {
  const late = standbys.filter(
    (each) => each.state !== null && (each.state !== 'streaming' || (each.lagS ?? 0) > LAG_MAX_S),
  );
  if (late.length > 0)
    return late.map(({ name, state: its, lagS }) =>
      wrong(
        `Standby ${name} is behind: ${its}, ${Math.round(lagS ?? 0)} s`,
        'Look at its log, its disk and the network to it.',
      ),
    );
  const hidden = standbys.some((each) => each.state === null);
  const text =
    standbys.length === 0
      ? 'no standby'
      : hidden
        ? `how far its ${standbys.length} standbys are behind is hidden (grant pg_read_all_stats to ${user})`
        : standbys.map(({ name, lagS }) => `standby ${name} is ${(lagS ?? 0).toFixed(1)} s behind`).join(', ');
  return [fine(`${state}, ${text}`)];
}

/** By how much the database's clock is ahead; `undefined` for a file, which has none. */
export async function databaseAheadMs(target: DatabaseTarget, reads: ReadsDatabase): Promise<number | undefined> {
  if (target.dialect === 'sqlite') return undefined;
  return await reads(async (query) => {
    const beforeMs = Date.now();
    const { rows } = await sql<{ ms: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(query);
    return rows[0]!.ms - (beforeMs + Date.now()) / 2;
  }).catch(() => undefined);
}
