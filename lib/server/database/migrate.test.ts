import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases, describePostgres } from '#testing/test-databases.ts';
import { DatabaseFailure } from './database-failure.ts';
import type { Migration } from './migrations/migration.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { filledRows, rowsOf } from './migrations/stored-rows.fixture.ts';
import { openDatabase } from './open-database.ts';
import { runMigration, SCHEMA_TOPIC, schemaOf } from './schema.ts';

const LATEST = MIGRATIONS.at(-1)!.name;
/** Migrates to the next version. */
const NEXT: Migration = {
  name: '9999-next',
  statements: ({ text, integer, end }) => [
    `create table next_thing (id ${text} primary key, at_ms ${integer} not null) ${end}`,
    `alter table view add column colour ${text}`,
  ],
};
const next = { migrations: [...MIGRATIONS, NEXT], upgrades: true };
const view = { id: 'v', owner: 'al', name: 'North gate', query: '', shared: 1, owner_name: 'Al' } as const;

describeDatabases('a migration', ({ newTarget, open }) => {
  test('that fails changes nothing, and says from which version to which', async () => {
    const target = newTarget();
    await (await open(target)).query.insertInto('view').values(view).execute();
    const fails: Migration = {
      ...NEXT,
      convert: async (db) => {
        await sql`update view set colour = 'red'`.execute(db);
        throw new Error('a colour is unknown');
      },
    };
    const opened = open(target, { migrations: [...MIGRATIONS, fails], upgrades: true });
    await expect(opened).rejects.toMatchObject({
      kind: 'other-schema',
      message: expect.stringContaining(
        `migrated from ${LATEST} to 9999-next: a colour is unknown. Nothing was changed`,
      ),
    });
    expect(await schemaOf(target)).toMatchObject({ kind: 'current' });
    expect(await (await open(target)).query.selectFrom('view').selectAll().execute()).toEqual([view]);
  });

  test('of several processes at once runs once', async () => {
    const target = newTarget();
    await (await open(target)).query.insertInto('view').values(view).execute();
    const all = await Promise.all([1, 2, 3].map(() => open(target, next)));
    expect(await all[2]!.query.selectFrom('view').selectAll().execute()).toEqual([{ ...view, colour: null }]);
    expect(await schemaOf(target, next.migrations)).toMatchObject({ kind: 'current', version: '9999-next' });
  });

  test('under a running server of an earlier build stops each of its statements, for good and in words', async () => {
    const target = newTarget();
    const reported: (DatabaseFailure | undefined)[] = [];
    const earlier = await open(target, { report: (failure) => reported.push(failure) });
    await open(target, next);
    await eventually(() => expect(earlier.failure?.kind).toBe('other-schema'));
    expect(earlier.failure?.message).toContain('the schema 9999-next of a newer Lookout');
    await expect(earlier.query.selectFrom('view').selectAll().execute()).rejects.toBe(earlier.failure);
    await expect(earlier.change((query) => query.insertInto('view').values(view).execute())).rejects.toBe(
      earlier.failure,
    );
    expect(reported).toEqual([earlier.failure]);
    expect((await sql`select * from view`.execute((await open(target, next)).query)).rows).toEqual([]);
  });

  test('that a running server cannot compare, for a defect, is reported once, and is compared again', async () => {
    const target = newTarget();
    const migrations: Migration[] = [...MIGRATIONS];
    const defects: unknown[] = [];
    const earlier = await open(target, { migrations, defect: (error) => defects.push(error) });
    const other = await open(target);
    const compared = () => other.change((query) => other.notify(query, SCHEMA_TOPIC, LATEST));
    migrations.push(undefined as never);
    await other.query.insertInto('view').values(view).execute();
    await compared();
    await eventually(() => expect(defects).toEqual([expect.any(TypeError)]));
    await compared();
    migrations.pop();
    await open(target, next);
    await eventually(() => expect(earlier.failure?.kind).toBe('other-schema'));
    expect(defects).toHaveLength(1);
  });

  test('a statement that does not fit the tables is reported until they fit, and not as damage', async () => {
    const database = await open();
    await sql`alter table view rename to moved_away`.execute(database.query);
    await expect(database.query.selectFrom('view').select('shared').execute()).rejects.toMatchObject({
      kind: 'other-schema',
      message: expect.stringContaining('start Lookout again, which compares them'),
    });
    await database.change((query) => sql`update alarm_change set number = number`.execute(query));
    expect(database.failure?.kind, 'another statement says nothing').toBe('other-schema');
    await sql`alter table moved_away rename to view`.execute(database.query);
    await eventually(() => expect(database.failure).toBeUndefined());
    const mistake = sql`select from where`.execute(database.query);
    await expect(mistake, 'a defect').rejects.not.toBeInstanceOf(DatabaseFailure);
  });
});

const RUNS = fileURLToPath(new URL('./migrate-until-killed.fixture.ts', import.meta.url));

/** @param points at which the process waits, and is killed */
async function killedAt(file: string, point: string): Promise<void> {
  const child = spawn(process.execPath, ['--conditions=react-server', RUNS, file, point], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  expect(String(said)).toBe(`${point}\n`);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('a file is copied before, for its owner alone; the copy is one file with every row', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-copy-'));
  const file = join(folder, 'lookout.sqlite');
  const before = await openDatabase({ dialect: 'sqlite', file });
  const query = before.query as unknown as Kysely<unknown>;
  await filledRows(query, 'sqlite');
  const rows = await rowsOf(query, 'sqlite');
  await before.close();
  const said: string[] = [];
  await (await openDatabase({ dialect: 'sqlite', file }, { ...next, say: (text) => said.push(text) })).close();
  const copy = join(folder, `lookout-${LATEST}.sqlite`);
  expect(said).toEqual([`migrates ${file} from ${LATEST} to 9999-next; the copy from before it is ${copy}`]);
  expect(readdirSync(folder).sort()).toEqual([`lookout-${LATEST}.sqlite`, 'lookout.sqlite']);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const copied = await openDatabase({ dialect: 'sqlite', file: copy });
  expect(await rowsOf(copied.query as unknown as Kysely<unknown>, 'sqlite')).toEqual(rows);
  await copied.close();
  rmSync(folder, { recursive: true });
});

test.each(['copied a part', 'copied', 'migrated'])(
  'a process that is killed when it has %s leaves a file that starts, with every row',
  async (point) => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-killed-migration-'));
    const file = join(folder, 'lookout.sqlite');
    const before = await openDatabase({ dialect: 'sqlite', file });
    for (let id = 0; id < 300; id++)
      await before.query
        .insertInto('view')
        .values({ ...view, id: `${id}`, name: `${id}`, query: 'x'.repeat(5000) })
        .execute();
    await before.close();
    await killedAt(file, point);
    expect(await schemaOf({ dialect: 'sqlite', file }), 'nothing is half done').toMatchObject({ kind: 'current' });
    const names = readdirSync(folder);
    expect(names.includes(`lookout-${LATEST}.sqlite.part`)).toBe(point === 'copied a part');
    expect(names.includes(`lookout-${LATEST}.sqlite`)).toBe(point !== 'copied a part');

    const after = await openDatabase({ dialect: 'sqlite', file }, next);
    expect(await after.query.selectFrom('view').select('id').execute()).toHaveLength(300);
    await after.close();
    const copy = new DatabaseSync(join(folder, `lookout-${LATEST}.sqlite`), { readOnly: true });
    expect(copy.prepare('select count(*) as n from view').get()).toEqual({ n: 300 });
    copy.close();
    expect(readdirSync(folder).sort()).toEqual([`lookout-${LATEST}.sqlite`, 'lookout.sqlite']);
    rmSync(folder, { recursive: true });
  },
);

describePostgres('a migration of PostgreSQL', (databases) => {
  const { newTarget, open } = databases;

  test('waits until the servers of the older schema have stopped, and says which', async () => {
    const target = newTarget();
    const earlier = await open(target);
    const seen = (name: string, agoMs: number) =>
      sql`insert into server (id, name, seen_ms, version, viewers, cells)
        values (${name || 'left'}, ${name}, (extract(epoch from clock_timestamp()) * 1000)::bigint - ${agoMs}::bigint, 0, 0, '')`.execute(
        earlier.query,
      );
    await seen('tower', 0);
    await seen('', 0);
    await seen('killed', 60_000);
    const said: string[] = [];
    let isOpen = false;
    const opening = open(target, { ...next, say: (text) => said.push(text) }).then(() => {
      isOpen = true;
    });
    await eventually(() => expect(said).toHaveLength(1));
    expect(said[0]).toContain(`has the schema ${LATEST}, which tower use, and this Lookout needs 9999-next: waiting`);
    expect([isOpen, (await schemaOf(target)).kind]).toEqual([false, 'current']);
    await sql`update server set name = ''`.execute(earlier.query);
    await opening;
    expect(await schemaOf(target, next.migrations)).toMatchObject({ kind: 'current' });
  });

  test('that ends while a start reads the schema is not taken for an alteration', async () => {
    const target = newTarget();
    const database = await open(target);
    const released = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const migrates = database.query.transaction().execute(async (query) => {
      await sql`lock table migration in access exclusive mode`.execute(query);
      locked.resolve();
      await released.promise;
      await runMigration(query as unknown as Kysely<unknown>, 'postgres', NEXT);
      await sql`insert into migration (name, timestamp) values (${NEXT.name}, '')`.execute(query);
    });
    await locked.promise;
    const state = schemaOf(target, next.migrations);
    const waiting = () =>
      databases.cluster.sql(
        "select count(*) from pg_locks join pg_database on oid = database where datname = current_database() and not granted and relation = 'migration'::regclass",
        target.dialect === 'postgres' ? target.database : '',
      );
    await eventually(() => expect(waiting()).toBe('1'));
    released.resolve();
    await migrates;
    expect(await state).toMatchObject({ kind: 'current', version: NEXT.name });
  });

  test('takes longer than a statement may', async () => {
    const target = newTarget();
    await open(target);
    const slow: Migration = { ...NEXT, convert: async (db) => void (await sql`select pg_sleep(7)`.execute(db)) };
    await open(target, { migrations: [...MIGRATIONS, slow], upgrades: true });
    expect(await schemaOf(target, next.migrations)).toMatchObject({ kind: 'current' });
  });

  test('by a role that only reads is refused in words; the state can be read', async () => {
    const target = newTarget();
    if (target.dialect !== 'postgres') throw new Error(target.dialect);
    await open(target);
    const { database } = target;
    databases.cluster.sql(
      `create role reads_${database} login; grant select on all tables in schema public to reads_${database}`,
      database,
    );
    const reads = { ...target, user: `reads_${database}` };
    expect(await schemaOf(reads)).toMatchObject({ kind: 'current' });
    await expect(open(reads, next)).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining(`Make reads_${database} the owner`),
    });
    const none = databases.newEmptyTarget();
    await expect(open({ ...none, user: `reads_${database}` } as typeof reads)).rejects.toMatchObject({
      kind: 'denied',
    });
    expect(await schemaOf(target)).toMatchObject({ kind: 'current' });
  });

  test('waits while a reader such as pg_dump holds a table', async () => {
    const target = newTarget();
    const database = await open(target);
    const released = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holds = database.query.transaction().execute(async (query) => {
      await sql`lock table view in access share mode`.execute(query);
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    let isOpen = false;
    const opening = open(target, next).then(() => {
      isOpen = true;
    });
    const waiting = () =>
      databases.cluster.sql(
        "select count(*) from pg_locks join pg_database on oid = database where datname = current_database() and not granted and relation = 'view'::regclass",
        target.dialect === 'postgres' ? target.database : '',
      );
    await eventually(() => expect(waiting()).toBe('1'));
    expect(isOpen).toBe(false);
    released.resolve();
    await Promise.all([holds, opening]);
  });
});
