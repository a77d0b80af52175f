import 'server-only';
import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Acknowledgements and closings that alarms have already are their first notes. */
export const asksAndNotes: Migration = {
  name: '0005-asks-and-notes',
  statements: ({ text, integer, unlogged, end }) => [
    `create ${unlogged} table server_ask (
    id ${text} primary key,
    topic ${text} not null,
    body ${text} not null,
    asked_ms ${integer} not null,
    answered ${integer} not null
  ) ${end}`,
    `create table alarm_note (
    alarm_id ${text} not null,
    number ${integer} not null,
    kind ${text} not null,
    operator ${text} not null,
    at_ms ${integer} not null,
    until_ms ${integer},
    closed_as ${text},
    comment ${text} not null,
    primary key (alarm_id, number)
  ) ${end}`,
    `alter table alarm add column revision ${integer} not null default 0`,
    `insert into alarm_note (alarm_id, number, kind, operator, at_ms, until_ms, closed_as, comment)
    select id, 1, 'acknowledged', acknowledged_by, acknowledged_ms, acknowledged_until_ms, null,
      coalesce(acknowledged_comment, '')
    from alarm where acknowledged_by is not null`,
    `insert into alarm_note (alarm_id, number, kind, operator, at_ms, until_ms, closed_as, comment)
    select id, case when acknowledged_by is null then 1 else 2 end, 'closed', closed_by, closed_ms, null, closed_as,
      coalesce(closed_comment, '')
    from alarm where closed_by is not null`,
    `update alarm set revision = (select count(*) from alarm_note where alarm_note.alarm_id = alarm.id)
    where acknowledged_by is not null or closed_by is not null`,
    `create table zone_body (id ${text} primary key, body ${text} not null) ${end}`,
    `alter table zone_revision add column body_id ${text} not null default ''`,
    `create table stored_level (
    operator ${text} not null,
    kind ${text} not null,
    bytes ${integer} not null,
    at_ms ${integer} not null,
    primary key (operator, kind)
  ) ${end}`,
  ],
  convert: splitZoneContents,
};

/** Moves shape and source out of the content of revisions that an earlier build wrote. */
async function splitZoneContents(db: Kysely<unknown>): Promise<void> {
  type Row = { readonly zone_id: string; readonly revision: number; readonly content: string };
  for (;;) {
    const { rows } = await sql<Row>`
      select zone_id, revision, content from zone_revision where body_id = '' limit 100`.execute(db);
    if (rows.length === 0) return;
    for (const { zone_id, revision, content } of rows) {
      const { shape, source = null, ...rest } = JSON.parse(content) as Readonly<Record<string, unknown>>;
      const id = `${zone_id} ${revision}`;
      await sql`insert into zone_body (id, body) values (${id}, ${JSON.stringify({ shape, source })})`.execute(db);
      await sql`update zone_revision set body_id = ${id}, content = ${JSON.stringify(rest)}
        where zone_id = ${zone_id} and revision = ${revision}`.execute(db);
    }
  }
}
