import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from './database.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openDatabase } from './open-database.ts';
import { type DatabaseTarget, readSchema, schemaOf } from './schema.ts';

const LATEST = MIGRATIONS.at(-1)!.name;
const FINGERPRINT = 'ba4bde778d6a';

describeDatabases('the state of a schema', ({ dialect, newTarget, newEmptyTarget, open }) => {
  const run = async ({ query }: Database, ...statements: readonly string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(query);
  };
  /** One that was made as it is now, and changed. */
  const changed = async (...statements: readonly string[]) => {
    const target = newTarget();
    await run(await open(target), ...statements);
    return target;
  };
  const opening = (target: DatabaseTarget) =>
    open(target, { upgrades: true }).then(
      () => 'opened',
      ({ kind, message }) => ({ kind, message }),
    );

  test('is empty, then current, with one fingerprint in both databases', async () => {
    const target = newEmptyTarget();
    if (target.dialect === 'sqlite') writeFileSync(target.file, '');
    expect(await schemaOf(target)).toEqual({ kind: 'empty', needed: LATEST });
    await open(target);
    const version = { version: LATEST, needed: LATEST, fingerprint: FINGERPRINT, pending: [] };
    expect(await schemaOf(target)).toEqual({ kind: 'current', ...version });
  });

  test('is older, with what is to run; a command refuses it and a server migrates it', async () => {
    const target = newEmptyTarget();
    await open(target, { migrations: MIGRATIONS.slice(0, 3) });
    expect(await schemaOf(target)).toMatchObject({
      kind: 'older',
      version: MIGRATIONS[2]!.name,
      needed: LATEST,
      pending: MIGRATIONS.slice(3).map(({ name }) => name),
    });
    const refused = expect(open(target)).rejects;
    await refused.toMatchObject({
      kind: 'other-schema',
      message: expect.stringContaining('start this Lookout itself'),
    });
    expect(await schemaOf(target)).toMatchObject({ kind: 'older' });
    expect(await opening(target)).toBe('opened');
  });

  test('is newer: refused with both versions, and without a word of backups', async () => {
    const target = await changed(
      "insert into migration (name, timestamp) values ('9999-newer', '2026-01-01T00:00:00.000Z')",
    );
    expect(await schemaOf(target)).toEqual({ kind: 'newer', version: '9999-newer', needed: LATEST });
    const { kind, message } = (await opening(target)) as { kind: string; message: string };
    expect(kind).toBe('other-schema');
    expect(message).toContain('the schema 9999-newer of a newer Lookout');
    expect(message).toContain(LATEST);
    expect(message).not.toMatch(/damaged|latest backup/);
  });

  test.each([
    [
      'a missing column',
      ['alter table zone_revision drop column body_id'],
      'column body_id of zone_revision is missing',
    ],
    ['an added column', ['alter table alarm add column seat text'], 'column seat of alarm is not Lookout’s'],
    ['a missing table', ['drop table alarm_note'], 'table alarm_note is missing'],
    [
      'a missing index',
      ['drop index alarm_opened'],
      'index alarm_opened of alarm is missing (CREATE INDEX alarm_opened on alarm (opened_ms, id);)',
    ],
    [
      'another index of the same name',
      ['drop index audit_event_time', 'create index audit_event_time on audit_event (at_ms)'],
      'index audit_event_time of audit_event is (at_ms) and not (last_ms)',
    ],
    [
      'a partial index of other rows',
      [
        'drop index delivery_given_up',
        "create index delivery_given_up on delivery (destination_id) where state = 'gone'",
      ],
      "index delivery_given_up of delivery is (destination_id) where state = 'gone' and not",
    ],
    [
      'a unique index that would refuse rows',
      ['create unique index one_name on operator (role)'],
      'index one_name of operator is not Lookout’s',
    ],
    [
      'another type, without its default',
      ['alter table alarm drop column revision', 'alter table alarm add column revision text'],
      'column revision of alarm is text',
    ],
    ['a renamed table', ['alter table writer rename to seat'], 'table writer is missing'],
    [
      'another order of migrations',
      ["update migration set name = '0002-other' where name = '0002-later-notices'"],
      'migration 0002-other stands where this Lookout has 0002-later-notices',
    ],
    [
      'a later migration that another build made',
      [`update migration set name = '9999-other' where name = '${LATEST}'`],
      `migration 9999-other stands where this Lookout has ${LATEST}`,
    ],
  ])('is altered: %s is refused in words, and left as it is', async (_, statements, words) => {
    const target = await changed(...statements);
    expect(await schemaOf(target)).toMatchObject({ kind: 'altered', needed: LATEST });
    const { kind, message } = (await opening(target)) as { kind: string; message: string };
    expect(kind).toBe('other-schema');
    expect(message).toContain(words);
    expect(message).toContain(LATEST);
    expect(message).not.toMatch(/damaged|latest backup/);
    expect(await schemaOf(target)).toMatchObject({ kind: 'altered' });
  });

  test('is altered where a 0001 was edited in place, as the builds before versions did', async () => {
    const target = newEmptyTarget();
    const first = MIGRATIONS[0]!;
    const edited = {
      ...first,
      statements: (types: Parameters<typeof first.statements>[0]) =>
        first
          .statements(types)
          .filter((text) => !/create (?:table|unique index) destination|notice_budget/.test(text))
          .map((text) =>
            text.replace('table writer (', 'table seat (').replace('into writer values', 'into seat values'),
          ),
    };
    const database = await open(target, { migrations: [edited] });
    await run(database, "insert into zone (id, owner, name, revision) values ('z', '', 'n', 1)");
    const state = await schemaOf(target);
    expect(state).toMatchObject({ kind: 'altered', version: '0001-tables', needed: LATEST });
    const { message } = (await opening(target)) as { message: string };
    expect(message).toMatch(/has the schema 0001-tables, altered \(fingerprint \w{12} in place of \w{12}\)/);
    expect(message).toContain('table destination is missing; table destination_health is missing; table notice_budget');
    expect(message).toContain('start that build');
    expect(message).not.toMatch(/damaged|backup/);
    const { rows } = await sql`select id from zone`.execute(database.query);
    expect(rows, 'its data is there').toEqual([{ id: 'z' }]);
  });

  test('is current with tables, views and an index of another program', async () => {
    const target = newTarget();
    const other = await open(target);
    await run(
      other,
      'create table diary (entry varchar(7), page float)',
      'create view names as select name from view',
      'create index audit_event_kind on audit_event (kind)',
    );
    expect(await schemaOf(target)).toMatchObject({ kind: 'current', fingerprint: FINGERPRINT });
    expect(await opening(target)).toBe('opened');
  });

  test('with tables that bear names of Lookout’s is refused', async () => {
    const target = newTarget();
    const query = (await open(target)).query as unknown as Kysely<unknown>;
    const { rows } = await sql<{ name: string }>`select name from migration`.execute(query);
    expect(rows).toHaveLength(MIGRATIONS.length);
    await sql`delete from migration`.execute(query);
    const state = await readSchema(query, dialect);
    expect(state).toMatchObject({ kind: 'altered', version: undefined });
    expect(await opening(target)).toMatchObject({ message: expect.stringContaining('a database of its own') });
  });
});

test('a file is read without a trace, and one of another program is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-schema-'));
  const [own, other, none] = ['own', 'other', 'none'].map((name) => join(folder, `${name}.sqlite`)) as [
    string,
    string,
    string,
  ];
  await (await openDatabase({ dialect: 'sqlite', file: own })).close();
  const before = readFileSync(own);
  expect(await schemaOf({ dialect: 'sqlite', file: own })).toMatchObject({ kind: 'current' });
  expect(readFileSync(own).equals(before)).toBe(true);
  const diary = new DatabaseSync(other);
  diary.exec('create table diary (entry text)');
  diary.close();
  const refused = schemaOf({ dialect: 'sqlite', file: other });
  await expect(refused).rejects.toMatchObject({
    kind: 'other-schema',
    message: expect.stringContaining('is the database of another program'),
  });
  await expect(schemaOf({ dialect: 'sqlite', file: none })).rejects.toMatchObject({ kind: 'denied' });
  expect(existsSync(none)).toBe(false);
  rmSync(folder, { recursive: true });
});
