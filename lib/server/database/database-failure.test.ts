import { once } from 'node:events';
import { mkdtempSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { describePostgres } from '#testing/test-databases.ts';
import { asRefusal, DatabaseFailure } from './database-failure.ts';
import { type DatabaseTarget, openDatabase } from './open-database.ts';
import { postgresClient } from './postgres.ts';
import { type PostgresTarget, readPostgresTarget } from './postgres-target.ts';

const view = { id: 'v', owner: 'al', name: 'North gate', query: '?view=47,8,9', shared: 0, owner_name: 'Al' } as const;
const newFile = () => join(mkdtempSync(join(tmpdir(), 'lookout-database-')), 'lookout.sqlite');

async function failureOf(target: DatabaseTarget): Promise<DatabaseFailure> {
  const reported: unknown[] = [];
  const failure = await openDatabase(target, { report: (each) => reported.push(each) }).then(
    async (database) => {
      await database.close();
      return 'opened';
    },
    (error: unknown) => error,
  );
  expect(reported, 'it is thrown').toEqual([]);
  if (failure instanceof DatabaseFailure) return failure;
  throw failure;
}

describePostgres('a database that is closed while its tables are compared', ({ newTarget }) => {
  test('rejects nothing', async () => {
    const rejected: unknown[] = [];
    const note = (reason: unknown) => rejected.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const target = newTarget() as PostgresTarget;
    for (let round = 0; round < 5; round++) {
      const database = await openDatabase(target);
      // Several comparisons open connections of their own: that of the close may be the first to be there.
      vi.advanceTimersByTime(45 * SECOND_MS);
      await database.close();
    }
    const observer = postgresClient(target);
    await observer.connect();
    const others = 'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    await eventually(async () => expect((await observer.query(others)).rowCount, 'connections').toBe(0));
    await observer.end();
    expect(rejected).toEqual([]);
  });
});

test('a failure is refused in words by a route, which has a copy of the class of its own', async () => {
  vi.resetModules();
  const { asRefusal: asRefusalOfRoute } = await import('./database-failure.ts');
  expect(asRefusalOfRoute(new DatabaseFailure('full', 'the disk is full'))).toMatchObject({ code: 'storage_failed' });
  expect(asRefusalOfRoute(new Error('the disk is full'))).not.toHaveProperty('code');
});

describe('a SQLite file', () => {
  test.each([
    ['of text', 'damaged', (file: string) => writeFileSync(file, 'no database '.repeat(1000))],
    [
      'of another program',
      'other-schema',
      (file: string) => new DatabaseSync(file).exec('create table diary (entry text)'),
    ],
    [
      'cut in half',
      'damaged',
      async (file: string) => {
        const database = await openDatabase({ dialect: 'sqlite', file });
        for (let id = 0; id < 100; id++)
          await database.query
            .insertInto('view')
            .values({ ...view, id: `${id}`, name: `${id}`, query: 'x'.repeat(1000) })
            .execute();
        await database.close();
        truncateSync(file, readFileSync(file).length / 2);
      },
    ],
  ])('%s is refused by its name and left as it is', async (_, kind, spoil) => {
    const file = newFile();
    await spoil(file);
    const before = readFileSync(file);
    const failure = await failureOf({ dialect: 'sqlite', file });
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('in a folder that does not exist is refused by its name', async () => {
    const file = join(newFile(), 'lookout.sqlite');
    await expect(openDatabase({ dialect: 'sqlite', file })).rejects.toThrow(file);
  });

  test('is for its owner alone, with its log', async () => {
    const file = newFile();
    const database = await openDatabase({ dialect: 'sqlite', file });
    expect([file, `${file}-wal`].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o600]);
    await database.close();
  });

  test('has synchronous = full, a write-ahead log and foreign keys', async () => {
    const database = await openDatabase({ dialect: 'sqlite', file: newFile() });
    const pragma = async (name: string) =>
      Object.values((await sql.raw(`pragma ${name}`).execute(database.query)).rows[0] ?? {})[0];
    expect(await pragma('synchronous')).toBe(2);
    expect(await pragma('journal_mode')).toBe('wal');
    expect(await pragma('foreign_keys')).toBe(1);
    await database.close();
  });

  test('has none of the tables where making one of them failed', async () => {
    const file = newFile();
    const other = new DatabaseSync(file);
    other.exec('create table overlay (id text); pragma application_id = 0x4c6b4462');
    await expect(openDatabase({ dialect: 'sqlite', file })).rejects.toThrow('overlay');
    const tables = other.prepare("select name from sqlite_schema where name in ('view', 'audit_event')").all();
    other.close();
    expect(tables).toEqual([]);
  });

  test('waits for another process without stopping this one', async () => {
    const file = newFile();
    const database = await openDatabase({ dialect: 'sqlite', file });
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    let beats = 0;
    const heart = setInterval(() => beats++, 5);
    const inserted = database.query.insertInto('view').values(view).execute();
    await eventually(() => expect(beats).toBeGreaterThan(10));
    clearInterval(heart);
    other.exec('rollback');
    other.close();
    await inserted;
    expect(database.failure).toBeUndefined();
    await database.close();
  });

  test('refuses a change on a full disk, and loses nothing', async () => {
    const reported: (DatabaseFailure | undefined)[] = [];
    const database = await openDatabase(
      { dialect: 'sqlite', file: newFile() },
      { report: (failure) => reported.push(failure) },
    );
    await database.query.insertInto('view').values(view).execute();
    await sql`pragma max_page_count = 1`.execute(database.query);
    const add = (id: string) =>
      database.change((query) =>
        query
          .insertInto('view')
          .values({ ...view, id, name: id, query: 'x'.repeat(100_000) })
          .execute(),
      );
    await expect(add('large')).rejects.toMatchObject({ kind: 'full' });
    await expect(add('larger')).rejects.toMatchObject({ kind: 'full' });
    expect(database.failure?.kind).toBe('full');
    expect(await database.query.selectFrom('view').select('id').execute()).toEqual([{ id: 'v' }]);
    expect(database.failure?.kind, 'reading does not end it').toBe('full');
    await sql`pragma max_page_count = 4294967294`.execute(database.query);
    await add('large');
    expect(reported.map((failure) => failure?.kind)).toEqual(['full', undefined]);
    await database.close();
  });

  test('is reported to an operator in words, and other errors stay as they are', () => {
    const refusal = (kind: 'full' | 'lost' | 'in-use') => asRefusal(new DatabaseFailure(kind, 'for the log'));
    expect(refusal('full')).toMatchObject({ code: 'storage_failed' });
    expect(refusal('in-use')).toMatchObject({ code: 'database_busy', retryAfterS: 5 });
    expect(refusal('lost')).toMatchObject({ code: 'database_lost', retryAfterS: 5 });
    const mistake = new Error('a mistake');
    expect(asRefusal(mistake)).toBe(mistake);
  });
});

describePostgres('a PostgreSQL', (databases) => {
  const newTarget = (changed: Partial<PostgresTarget> = {}): PostgresTarget => ({
    ...(databases.newTarget() as PostgresTarget),
    ...changed,
  });

  test('has synchronous_commit = on and the name of the program', async () => {
    const target = newTarget();
    databases.cluster.sql(`alter database ${target.database} set synchronous_commit = off`);
    const database = await openDatabase(target);
    const setting = async (name: string) =>
      Object.values((await sql.raw(`show ${name}`).execute(database.query)).rows[0] ?? {})[0];
    expect(await setting('synchronous_commit')).toBe('on');
    expect(await setting('application_name')).toBe('lookout');
    expect(await setting('statement_timeout')).toBe('5s');
    await database.close();
  });

  test('has none of the tables where making one of them failed', async () => {
    const { cluster } = databases;
    const target = databases.newEmptyTarget() as PostgresTarget;
    cluster.sql('create table overlay (id text)', target.database);
    await expect(openDatabase(target)).rejects.toThrow('overlay');
    expect(
      cluster.sql("select to_regclass('view') is null and to_regclass('audit_event') is null", target.database),
    ).toBe('t');
  });

  test('reads its password for each connection, and says where to correct a wrong one', async () => {
    const cluster = databases.newCluster();
    cluster.sql("create role lookout login password 'right' superuser");
    cluster.allow('local all lookout scram-sha-256');
    const file = join(mkdtempSync(join(tmpdir(), 'lookout-password-')), 'password');
    writeFileSync(file, 'wrong\n');
    const target: PostgresTarget = { ...cluster.target(), user: 'lookout', password: { file } };
    expect(await failureOf(target)).toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('refuses the password of lookout: correct it in DATABASE_PASSWORD_FILE'),
    });
    expect((await failureOf({ ...target, password: undefined })).message).toContain('asks for a password');
    writeFileSync(file, 'right\n');
    await (await openDatabase(target)).close();
  });

  test.each([
    ['no such database', { database: 'nowhere' }, 'denied', 'createdb --owner admin nowhere'],
    ['no such role', { user: 'nobody' }, 'denied', 'Make the role'],
    ['no TLS', { tls: true }, 'denied', 'speaks no TLS'],
    ['no server', { port: 1 }, 'lost', 'cannot be reached'],
    ['no socket', { host: '/nowhere' }, 'lost', 'cannot be reached'],
    ['a file in place of its folder', { host: '/etc/passwd' }, 'lost', 'cannot be reached'],
  ] as const)('says what to do: %s', async (_, changed, kind, words) => {
    const failure = await failureOf(newTarget(changed));
    expect(failure.message).toContain(words);
    expect(failure.kind).toBe(kind);
  });

  test('is found by every spelling of its socket', async () => {
    const { database, host } = newTarget();
    expect(host).toBe(databases.cluster.folder);
    for (const url of [
      `postgresql://admin@${encodeURIComponent(host)}/${database}`,
      `postgresql://${encodeURIComponent(host)}:5432/${database}?user=admin`,
      `postgresql://admin@/${database}?host=${host}/&sslmode=prefer`,
      `postgresql://admin@localhost:1/${database}?host=${host}&port=5432`,
      `postgresql:///?dbname=${database}&user=admin&host=${host}/.s.PGSQL.5432&sslmode=verify-full`,
    ]) {
      const target = readPostgresTarget(url, undefined);
      if (typeof target === 'string') throw new Error(`${url} ${target}`);
      await (await openDatabase(target)).close();
    }
  });

  test('lets in the user of the process by its socket (peer), and says who else would be let in', async () => {
    const { username } = userInfo();
    const cluster = databases.newCluster();
    cluster.sql(`create role "${username}" login superuser`);
    const { database, host } = cluster.target();
    cluster.allow(`local ${database} all peer`);
    const target = readPostgresTarget(`postgresql:///${database}?host=${host}`, undefined);
    if (typeof target === 'string') throw new Error(target);
    await (await openDatabase(target)).close();
    expect(await failureOf({ ...target, user: 'admin' })).toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('run Lookout as that user'),
    });
  });

  test('with a locked table is busy, and not a failed disk; it stays in use', async () => {
    const target = newTarget();
    const reported: (string | undefined)[] = [];
    const database = await openDatabase(target, { report: (failure) => reported.push(failure?.kind) });
    const holder = await openDatabase(target);
    const released = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holds = holder.query.transaction().execute(async (query) => {
      await sql`lock table view in access exclusive mode`.execute(query);
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    const change = database.change((query) => query.insertInto('view').values(view).execute());
    const refusal = await change.then(() => undefined, asRefusal);
    expect(refusal).toMatchObject({ code: 'database_busy', retryAfterS: 5 });
    expect([database.failure, reported]).toEqual([undefined, []]);
    released.resolve();
    await holds;
    await database.change((query) => query.insertInto('view').values(view).execute());
    await Promise.all([database.close(), holder.close()]);
  });

  test('that is lost while connections are set up keeps none of them, and is used again when it is back', async () => {
    const target = newTarget() as PostgresTarget;
    const sockets = new Set<Socket>();
    let isCut = false;
    const between = createServer((near) => {
      const far = connect(`${target.host}/.s.PGSQL.${target.port}`);
      for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      near.on('data', (bytes) => {
        if (isCut && bytes.includes('set synchronous_commit')) near.destroy();
        else far.write(bytes);
      });
      far.pipe(near);
    });
    between.listen(0, '127.0.0.1');
    await once(between, 'listening');
    const { port } = between.address() as AddressInfo;
    const database = await openDatabase({ ...target, host: '127.0.0.1', port });
    isCut = true;
    for (const socket of sockets) socket.destroy();
    const read = () => database.query.selectFrom('view').selectAll().execute();
    // More than the pool has connections.
    for (let tries = 0; tries < 12; tries++) await expect(read()).rejects.toMatchObject({ kind: 'lost' });
    isCut = false;
    expect(await read()).toEqual([]);
    await database.close();
    between.close();
  });

  test('that is lost is reported once, ends no process, and is used again when it is back', async () => {
    const cluster = databases.newCluster();
    const reported: (string | undefined)[] = [];
    const database = await openDatabase(cluster.target(), { report: (failure) => reported.push(failure?.kind) });
    await database.query.insertInto('view').values(view).execute();
    let missed = 0;
    database.listen('zones', (text) => {
      if (text === undefined) missed++;
    });
    await eventually(() => expect(database.isCurrent).toBe(true));
    const before = missed;
    cluster.stop();
    const lost = database.change((query) => query.deleteFrom('view').execute());
    await expect(lost).rejects.toMatchObject({ kind: 'lost' });
    await eventually(() => expect(database.isCurrent).toBe(false));
    expect(reported).toEqual(['lost']);
    cluster.start();
    // Being current is a promise about notices older than a second, not about a loss just now.
    await eventually(() => expect(missed).toBeGreaterThan(before));
    await eventually(() => expect([database.isCurrent, database.failure]).toEqual([true, undefined]));
    expect(await database.query.selectFrom('view').selectAll().execute()).toEqual([view]);
    expect(reported).toEqual(['lost', undefined]);
    await database.close();
  });
});
