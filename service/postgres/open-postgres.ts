import { Postgres } from './postgres.ts';
import { PostgresFailure } from './postgres-failure.ts';
import { type PostgresTarget, targetText } from './postgres-target.ts';
import type { Query } from './query.ts';
import { ACCOUNT_TABLES } from './tables/account-tables.ts';
import { INBOX_TABLES, PAST_TABLES } from './tables/past-tables.ts';

const MIN_SERVER_VERSION = 15;
/** Of all tables in the schema `lookout`. */
const SCHEMA_VERSION = 3;
/** What earlier versions have not: the first had accounts only, the second no inbox. */
const LACKING: Readonly<Record<number, readonly string[]>> = {
  1: [...PAST_TABLES, ...INBOX_TABLES],
  2: INBOX_TABLES,
};
/** Locks are numbers that all users of a database share: this one begins with "LkAc". */
const MAKING_LOCK = 0x4c6b_4163_01;

/**
 * Opens the database.
 * @param makes whether our tables are made if there are none
 * @throws Error that says what to do
 */
export async function openPostgres(
  target: PostgresTarget,
  { makes, log }: { readonly makes: boolean; readonly log: (entry: string) => void },
): Promise<Postgres> {
  const postgres = new Postgres(target, () => {});
  try {
    await requireServer(postgres);
    await requireTables(postgres, makes);
  } finally {
    await postgres.close();
  }
  // Another pool, as what is lost is said from now on.
  return new Postgres(target, log);
}

async function requireServer({ query, target }: Postgres): Promise<void> {
  const [server] = await query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding`,
  );
  const where = `PostgreSQL at ${targetText(target)}`;
  if (server === undefined || server.version < MIN_SERVER_VERSION) {
    throw new PostgresFailure(
      `${where} is version ${server?.version}: version ${MIN_SERVER_VERSION} or newer is needed.`,
      false,
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new PostgresFailure(
      `${where} stores text as ${server.encoding}: make the database with createdb -E UTF8 -T template0.`,
      false,
    );
  }
}

function requireTables(postgres: Postgres, makes: boolean): Promise<void> {
  return postgres.within('begin', async (query) => {
    await query('select pg_advisory_xact_lock($1)', [MAKING_LOCK]);
    const [made] = await query(
      `select to_regclass('lookout.machine') as name where to_regclass('lookout.machine') is not null`,
    );
    if (made === undefined) {
      if (!makes) {
        const text = `There are no accounts in PostgreSQL at ${targetText(postgres.target)}: make the first with account add, or check --store.`;
        throw new PostgresFailure(text, false);
      }
      await query('create schema if not exists lookout');
      await query(
        'create table lookout.machine (id int primary key check (id = 1), version int not null, reference_secret_digest bytea)',
      );
      await query('insert into lookout.machine (id, version) values (1, $1)', [SCHEMA_VERSION]);
      for (const statement of [...ACCOUNT_TABLES, ...PAST_TABLES, ...INBOX_TABLES]) await query(statement);
      return;
    }
    const [found] = await query<{ version: number }>('select version from lookout.machine');
    if (found?.version === SCHEMA_VERSION) return;
    const lacking = LACKING[found?.version ?? 0];
    if (lacking !== undefined) return addTables(query, lacking);
    throw new PostgresFailure(
      `The tables of PostgreSQL at ${targetText(postgres.target)} are of version ${found?.version}, not ${SCHEMA_VERSION}: run the same release of the service on every machine.`,
      false,
    );
  });
}

/** Services of before go on with what they know, which is as it was, until they are started anew. */
async function addTables(query: Query, lacking: readonly string[]): Promise<void> {
  for (const statement of lacking) await query(statement);
  await query('update lookout.machine set version = $1', [SCHEMA_VERSION]);
}
