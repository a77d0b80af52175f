import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describePostgres } from '#testing/test-databases.ts';
import { lockDataDir } from '../database/data-dir.ts';
import { type DatabaseTarget, openDatabase } from '../database/open-database.ts';
import { openRows } from '../database/row-store.ts';
import { moveDatabase, undoMove } from './move-database.ts';
import {
  anyRows,
  contentOf,
  DIRECTIONS,
  fill,
  filled,
  made,
  newFile,
  refusalOf,
  STARTED,
  startOf,
  view,
} from './moved-databases.fixture.ts';

async function run(target: DatabaseTarget, statement: string): Promise<void> {
  const store = await openRows(target);
  await store.run(statement);
  await store.close();
}

/** Columns that are younger than the migration 0008. */
const LATER_COLUMNS = [
  ['delivery', ['about']],
  ['destination', ['all_alarms', 'own_receivers']],
  ['read_token', ['requests_a_minute', 'history_a_day', 'history_day', 'history_spent', 'view_id']],
  ['permit', ['flight_since_ms', 'received_ms', 'flight_due_ms', 'watched']],
] as const;

describePostgres('a move', (databases) => {
  const { newEmptyTarget: newTarget, open } = databases;

  test('carries any rows of every table there and back unchanged', async () => {
    const blank = await openRows(await made());
    const rows = await anyRows(blank, 12);
    await blank.close();
    await fc.assert(
      fc.asyncProperty(rows, async (drawn) => {
        const [one, several, again] = [await made(), newTarget(), newFile()];
        await fill(one, drawn);
        const before = await contentOf(one);
        const there = await moveDatabase(one, several);
        expect(await contentOf(several)).toEqual(before);
        const back = await moveDatabase(several, again);
        expect(await contentOf(again)).toEqual(before);
        expect(await contentOf(one)).toEqual(before);
        expect(back.copied).toEqual(there.copied);
      }),
      { numRuns: 6 },
    );
  });

  test('of more rows than a batch has is whole', async () => {
    const [from, to] = [await filled(newFile(), 9001), newTarget()];
    const { copied } = await moveDatabase(from, to);
    expect(copied?.find(({ table }) => table === 'view')?.rows).toBe(9001);
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });

  test.each(DIRECTIONS)('%s leaves one database on which Lookout starts', async (_, between) => {
    const [from, to] = between({ newTarget });
    await filled(from);
    await moveDatabase(from, to);
    expect(await startOf(from)).toMatch(/was moved to .* this is the old copy/);
    expect(await startOf(to)).toBe(STARTED);
    const again = await moveDatabase(from, to);
    expect(again.copied).toBeUndefined();
    expect(await undoMove(from)).toBe('moved');
    expect(await startOf(from)).toBe(STARTED);
  });

  test('refuses a source on which Lookout runs', async () => {
    const from = await filled();
    const lock = lockDataDir(join((from as { file: string }).file, '..'));
    const several = newTarget();
    expect(await refusalOf(moveDatabase(from, several))).toContain('Another Lookout uses DATA_DIR');
    lock.release();
    expect(await startOf(from)).toBe(STARTED);

    const server = await open(await filled(several));
    await sql`insert into server values ('s', 'east:3001', extract(epoch from clock_timestamp()) * 1000 + 3600000, 1, 0, '')`.execute(
      server.query,
    );
    expect(await refusalOf(moveDatabase(several, newFile()))).toMatch(/Lookout runs on PostgreSQL.*east:3001.*Stop/);
    await sql`update server set name = ''`.execute(server.query);
    await sql`update writer set holder = 'west:1'`.execute(server.query);
    await sql`update writer_lease set until_ms = extract(epoch from clock_timestamp()) * 1000 + 3600000`.execute(
      server.query,
    );
    expect(await refusalOf(moveDatabase(several, newFile()))).toContain('west:1');
    expect(await startOf(several)).toBe(STARTED);
  });

  test('holds back writes to the source while it runs, and keeps nothing where another process tried one', async () => {
    const [from, to] = [await filled(newTarget()), newFile()];
    const server = await open(from);
    let write: Promise<unknown> | undefined;
    const refused = await refusalOf(
      moveDatabase(from, to, ({ kind }) => {
        if (kind === 'begun') write = server.query.insertInto('view').values(view('in the middle')).execute();
      }),
    );
    expect(refused).toMatch(/a command of Lookout has used PostgreSQL/);
    await write;
    expect([await startOf(from), await startOf(to)]).toEqual([STARTED, expect.stringContaining('is half moved')]);
    await server.close();
    await moveDatabase(from, to);
    expect(JSON.stringify(await contentOf(to))).toContain('in the middle');
  });

  test('waits for another process that has the file open, and refuses then', async () => {
    const from = await filled();
    const command = await openDatabase(from);
    expect(await refusalOf(moveDatabase(from, newTarget()))).toMatch(/Another process is changing .*: try again/);
    await command.close();
  });

  test.each(DIRECTIONS)('%s refuses a target that has anything in it, and names it', async (_, between) => {
    const [from, to] = between({ newTarget });
    await filled(from);
    await filled(to);
    const before = await contentOf(to);
    expect(await refusalOf(moveDatabase(from, to))).toMatch(
      /is not empty: it has rows in view \(3\), start_view \(1\), delivery_cursor \(1\), ledger \(1\)\. Nothing was written/,
    );
    expect(await contentOf(to)).toEqual(before);
    expect([await startOf(from), await startOf(to)]).toEqual([STARTED, STARTED]);
  });

  test('takes a target that Lookout has made and not used', async () => {
    const to = await made(newTarget());
    await moveDatabase(await filled(), to);
    expect(await startOf(to)).toBe(STARTED);
  });

  test('refuses tables of another program, the old copy, a running target, and the same database', async () => {
    const [from, to] = [await filled(), newTarget()];
    databases.cluster.sql('create table customer (id int)', (to as { database: string }).database);
    expect(await refusalOf(moveDatabase(from, to))).toMatch(/tables of another program.*customer/);
    const running = newTarget();
    const server = await open(running);
    await sql`insert into server values ('s', 'east:3001', extract(epoch from clock_timestamp()) * 1000 + 3600000, 1, 0, '')`.execute(
      server.query,
    );
    expect(await refusalOf(moveDatabase(from, running))).toMatch(/Lookout runs on PostgreSQL.*east:3001/);
    const several = newTarget();
    await moveDatabase(from, several);
    expect(await refusalOf(moveDatabase(several, from))).toMatch(/old copy of an earlier move.*mv /);
    expect(await refusalOf(moveDatabase(from, newTarget()))).toMatch(/was moved to/);
    expect(await refusalOf(moveDatabase(several, several))).toMatch(/and so does --to/);
  });

  test('refuses a source of another schema, and a missing one', async () => {
    const from = await filled();
    await run(from, `insert into migration values ('9999-newer', '2026')`);
    expect(await refusalOf(moveDatabase(from, newTarget()))).toMatch(/has the schema 9999-newer of a newer Lookout/);
    await run(from, `delete from migration where name > '0009'`);
    await run(from, 'drop index permit_flight');
    for (const [table, columns] of LATER_COLUMNS)
      for (const column of columns) await run(from, `alter table ${table} drop column ${column}`);
    expect(await refusalOf(moveDatabase(from, newTarget()))).toMatch(/has the schema .*start this Lookout itself/);
    const missing = newFile();
    expect(await refusalOf(moveDatabase(missing, newTarget()))).toMatch(/has no tables of Lookout/);
    expect(existsSync((missing as { file: string }).file)).toBe(false);
    expect(await refusalOf(moveDatabase(newTarget(), missing))).toMatch(/has no tables of Lookout/);
  });

  test('keeps nothing of a target that changes what it receives', async () => {
    const [from, to] = [await filled(), await made(newTarget())];
    const { database } = to as { database: string };
    databases.cluster.sql(
      `create function other_name() returns trigger language plpgsql as $$ begin new.name = 'x' || new.id; return new; end $$;
       create trigger other before insert on view for each row execute function other_name()`,
      database,
    );
    expect(await refusalOf(moveDatabase(from, to))).toMatch(/does not have what was sent.*\n {2}view: 3 rows/);
    expect(await startOf(to)).toMatch(/is half moved/);
    expect(await startOf(from)).toBe(STARTED);
    databases.cluster.sql('drop trigger other on view', database);
    await moveDatabase(from, to);
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });

  test('refuses a text that PostgreSQL cannot store, and says how to find it', async () => {
    const from = await filled();
    await run(from, `update view set query = 'a' || char(0) || 'b' where id = 'v1'`);
    expect(await refusalOf(moveDatabase(from, newTarget()))).toMatch(
      /view\.query has a text with the character U\+0000/,
    );
    expect(await startOf(from)).toBe(STARTED);
  });

  test('leaves a half-moved target when PostgreSQL is lost, and ends when it is back', async () => {
    const cluster = databases.newCluster();
    const [from, to] = [await filled(newFile(), 9001), cluster.target()];
    const lost = await refusalOf(
      moveDatabase(from, to, (step) => {
        if (step.kind === 'copying' && step.table === 'view' && step.rows < 9001) cluster.stop();
      }),
    );
    expect(lost).toMatch(/^PostgreSQL at .* cannot be reached/);
    expect(await startOf(from)).toBe(STARTED);
    cluster.start();
    expect(await startOf(to)).toMatch(/is half moved/);
    await moveDatabase(from, to);
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });

  test('whose last commit is lost says so, starts on neither database, and ends when it is run again', async () => {
    const cluster = databases.newCluster();
    const [from, to] = [await filled(), cluster.target()];
    const lost = await refusalOf(moveDatabase(from, to, ({ kind }) => kind === 'source-marked' && cluster.stop()));
    expect(lost).toMatch(/may have everything or nothing: run the same command again/);
    cluster.start();
    expect([await startOf(from), await startOf(to)]).toEqual([
      expect.stringContaining('was moved to'),
      expect.stringContaining('is half moved'),
    ]);
    await moveDatabase(from, to);
    expect(await startOf(to)).toBe(STARTED);
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });

  test('to a target whose role may make no tables says so', async () => {
    const to = newTarget();
    const { database } = to as { database: string };
    const user = `guest_${database}`;
    databases.cluster.sql(`create role ${user} login; revoke create on schema public from public`, database);
    expect(await refusalOf(moveDatabase(await filled(), { ...to, user } as DatabaseTarget))).toMatch(
      /permission denied.*Make guest_\w+ the owner/,
    );
  });

  test('can be given up', async () => {
    const [from, to] = [await filled(), newTarget()];
    await expect(
      moveDatabase(from, to, () => {
        throw new Error('given up');
      }),
    ).rejects.toThrow('given up');
    expect(await startOf(to)).toMatch(/is half moved/);
    expect(await undoMove(from)).toBeUndefined();
    expect(await undoMove(to)).toBe('filling');
    expect(await startOf(to)).toBe(STARTED);
  });
});
