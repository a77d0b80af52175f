import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeDatabases } from '#testing/test-databases.ts';
import { readParts } from '../schema-form.ts';
import { MIGRATIONS } from './migrations.ts';
import { filledRows, rowsOf, type StoredRows } from './stored-rows.fixture.ts';

type Row = Readonly<Record<string, unknown>>;

/** Digests of the first zone's id with 0 and 1. */
const PERMIT_IDS = ['ab38e7f2-ab83-8bfe-bbe5-293688a125e0', '84cf591a-f946-8da0-9800-562f99c13121'];

/** Converted rows by migration; the others keep every row. */
const CONVERTED: Readonly<Record<string, (before: StoredRows) => StoredRows>> = {
  '0002-later-notices': ({ escalation, ...rest }) => ({
    ...rest,
    later_notice: escalation!.map((row) => ({ ...row, type: 'escalated' })),
  }),
  '0003-reception-of-parts': ({ part, ...rest }) => ({
    ...rest,
    part: part!.map((row) => ({ ...row, reception: null })),
  }),
  '0005-asks-and-notes': ({ alarm, zone_revision: revisions, ...rest }) => ({
    ...rest,
    alarm: alarm!.map((row) => ({ ...row, revision: notesOf(row).length })),
    alarm_note: alarm!.flatMap(notesOf),
    server_ask: [],
    stored_level: [],
    zone_body: revisions!.map((row) => {
      const { shape, source = null } = JSON.parse(row.content as string) as Row;
      return { id: `${row.zone_id} ${row.revision}`, body: JSON.stringify({ shape, source }) };
    }),
    zone_revision: revisions!.map((row) => {
      const { shape, source, ...others } = JSON.parse(row.content as string) as Row;
      return { ...row, content: JSON.stringify(others), body_id: `${row.zone_id} ${row.revision}` };
    }),
  }),
  '0006-moves': (rows) => ({ ...rows, move: [] }),
  '0007-shared-zones': ({ zone_revision: revisions, ...rest }) => ({
    ...rest,
    zone_revision: revisions!.map((row) => (row.owner === '' ? { ...row, shared: 1 } : row)),
    hand_over_note: [],
    hand_over_read: [],
  }),
  '0008-permits': ({ zone_revision: revisions, ...rest }) => ({
    ...rest,
    zone_revision: revisions!.map((row) => {
      const { permits, ...others } = JSON.parse(row.content as string) as Row;
      return { ...row, content: JSON.stringify(others) };
    }),
    permit: revisions!.flatMap((row) => {
      const { permits } = JSON.parse(row.content as string) as { permits: readonly Row[] };
      return permits.map(({ track, until, up_to_m }, index) => ({
        id: PERMIT_IDS[index],
        zone_id: row.zone_id,
        revision: 1,
        name: index === 0 ? 'police flight' : 'Permit',
        terms: JSON.stringify({
          layers: track ? ['rid'] : ['rid', 'adsb'],
          track,
          shape: null,
          vertical: up_to_m === null ? null : { field: 'height_agl_m', floor_m: null, ceiling_m: up_to_m },
        }),
        start_ms: row.at_ms,
        end_ms: Date.parse(until as string),
        made_by: row.author_name,
        made_ms: row.at_ms,
        changed_by: null,
        changed_ms: null,
        ended_by: null,
        ended_ms: null,
      }));
    }),
  }),
  '0009-all-alarms': ({ destination, ...rest }) => ({
    ...rest,
    destination: destination!.map((row) => ({ ...row, all_alarms: 0 })),
  }),
  '0010-incidents': (rows) => ({ ...rows, incident: [], incident_note: [], incident_pin: [], incident_piece: [] }),
  '0011-notices-of-receivers': ({ destination, delivery, ...rest }) => ({
    ...rest,
    destination: destination!.map((row) => ({ ...row, own_receivers: 0 })),
    delivery: delivery!.map((row) => ({ ...row, about: null })),
  }),
  '0012-token-permissions': ({ read_token, ...rest }) => ({
    ...rest,
    read_token: read_token!.map((row) => ({
      ...row,
      requests_a_minute: 120,
      history_a_day: 0,
      history_day: '',
      history_spent: 0,
      view_id: null,
    })),
  }),
  '0013-expected-flights': ({ permit, ...rest }) => ({
    ...rest,
    permit: permit!.map((row) => ({
      ...row,
      flight_since_ms: null,
      received_ms: null,
      flight_due_ms: null,
      watched: null,
    })),
  }),
  '0014-push-subscriptions': (rows) => ({ ...rows, push_subscription: [] }),
};

function notesOf(alarm: Row): readonly Row[] {
  const notes = [
    {
      kind: 'acknowledged',
      operator: alarm.acknowledged_by,
      at_ms: alarm.acknowledged_ms,
      until_ms: alarm.acknowledged_until_ms,
      closed_as: null,
      comment: alarm.acknowledged_comment ?? '',
    },
    {
      kind: 'closed',
      operator: alarm.closed_by,
      at_ms: alarm.closed_ms,
      until_ms: null,
      closed_as: alarm.closed_as,
      comment: alarm.closed_comment ?? '',
    },
  ].filter(({ operator }) => operator !== null);
  return notes.map((note, place) => ({ alarm_id: alarm.id, number: place + 1, ...note }));
}

const sorted = (rows: StoredRows) =>
  Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [table, all.map((row) => JSON.stringify(ordered(row))).sort()]),
  );
const ordered = (row: Row) => Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
const inOrder = (parts: readonly { readonly table: string; readonly name: string }[]) =>
  [...parts].sort((a, b) => (`${a.table} ${a.name}` < `${b.table} ${b.name}` ? -1 : 1));

describeDatabases('a database of an earlier state', ({ dialect, newEmptyTarget, open }) => {
  test.each(MIGRATIONS.slice(0, -1).map(({ name }, place) => [name, place + 1] as const))(
    'of %s keeps or converts every row of every table, and gets the tables that are made from nothing',
    async (_, count) => {
      const target = newEmptyTarget();
      const earlier = (await open(target, { migrations: MIGRATIONS.slice(0, count) }))
        .query as unknown as Kysely<unknown>;
      await filledRows(earlier, dialect);
      const before = await rowsOf(earlier, dialect);
      for (const [table, rows] of Object.entries(before)) expect(rows.length, table).toBeGreaterThan(1);
      const expected = MIGRATIONS.slice(count).reduce((rows, { name }) => CONVERTED[name]?.(rows) ?? rows, before);

      const migrated = (await open(target, { upgrades: true })).query as unknown as Kysely<unknown>;
      expect(sorted(await rowsOf(migrated, dialect))).toEqual(sorted(expected));
      const { rows: names } = await sql`select name from migration order by name`.execute(migrated);
      expect(names).toEqual(MIGRATIONS.map(({ name }) => ({ name })));
      const fromNothing = (await open(newEmptyTarget())).query as unknown as Kysely<unknown>;
      expect(inOrder(await readParts(migrated, dialect))).toEqual(inOrder(await readParts(fromNothing, dialect)));
    },
  );
});
