import { CompiledQuery, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { ALARMS_MAX, alarmExportQuerySchema } from '#lib/api/watching/alarms.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { turnsDuring } from '#testing/turns-during.ts';
import type { Database } from '../../database/database.ts';
import { newZone } from '../new-zone.fixture.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import { Zones } from '../zones.ts';
import { alarmLog } from './alarm-log.ts';
import { AlarmStore } from './alarm-store.ts';
import { Alarms, endOfPiece } from './alarms.ts';
import { copyFirstAlarm } from './many-alarms.fixture.ts';
import { OPENED_AT, transition } from './transition.fixture.ts';

const al: ZoneCaller = { owner: 'al', name: 'Al', actor: 'al', isAdmin: false };
const COPIES = 6000;
const FIRST_ID = /^[0-9a-f]{8}-/;

describeDatabases('a long log of alarms', ({ dialect, open, testOnce }) => {
  let database: Database;
  let alarms: Alarms;
  let zone: string;
  beforeEach(async () => {
    database = await open();
    zone = (await new Zones(database, () => OPENED_AT).add(al, newZone({ name: 'Gate' }))).id;
    alarms = new Alarms(database, () => OPENED_AT);
    const opened = { rows: [], transitions: [transition(zone)], stretches: [], madeUp: [], at: OPENED_AT };
    await new AlarmStore(database).commit(opened, 0);
    await copyFirstAlarm(database, COPIES);
    return () => alarms.close();
  });

  const rowsOf = async (query: Record<string, string>, signal?: AbortSignal) => {
    const { body } = await alarmLog(alarms, al, alarmExportQuerySchema.parse({ format: 'csv', ...query }));
    let rows = 0;
    for await (const chunk of body(signal)) rows += Buffer.from(chunk).toString().split('\r\n').length - 1;
    return rows - 1;
  };

  testOnce('is exported whole, of all zones and of one, with a turn for others at each page', async () => {
    for (const query of [{}, { zone }]) {
      const { result, turns } = await turnsDuring(() => rowsOf(query));
      expect(result).toBe(COPIES + 1);
      expect(turns).toBeGreaterThanOrEqual(COPIES / ALARMS_MAX);
    }
  });

  testOnce('is searched in pieces, with a turn for others at each, and finds what is at its end', async () => {
    const { result, turns } = await turnsDuring(() => alarms.list(al, { text: `a ${COPIES}` }));
    expect(result.alarms.map(({ track }) => track)).toEqual([`a ${COPIES}`]);
    expect(turns).toBeGreaterThanOrEqual(2);
    const nothing = await turnsDuring(() => alarms.list(al, { text: 'nothing like it' }));
    expect(nothing.result.alarms).toEqual([]);
    expect(nothing.turns).toBeGreaterThanOrEqual(2);
    expect(await rowsOf({ text: `a ${COPIES}` })).toBe(1);
  });

  testOnce('is listed page by page, each alarm once', async () => {
    const seen = new Set<string>();
    let since = '0';
    for (let left = COPIES + 1; left > 0; ) {
      const { alarms: page, next } = await alarms.list(al, { since });
      expect(page).toHaveLength(Math.min(ALARMS_MAX, left));
      for (const { id } of page) seen.add(id);
      left -= page.length;
      since = next;
    }
    expect(seen.size).toBe(COPIES + 1);
    expect((await alarms.list(al, { since })).alarms).toEqual([]);
  });

  testOnce('is no longer read once its client has gone', async () => {
    const gone = new AbortController();
    const { body } = await alarmLog(alarms, al, alarmExportQuerySchema.parse({ format: 'csv' }));
    const chunks = body(gone.signal);
    await chunks.next();
    await chunks.next();
    gone.abort();
    await expect(chunks.next()).rejects.toThrow('aborted');
    await expect(alarms.list(al, { text: 'nothing like it' }, { signal: gone.signal })).rejects.toThrow('aborted');
  });

  test('finds a page by an index, without reading the rows before it', async () => {
    const [first] = (await alarms.list(al, {})).alarms;
    expect(first?.id).toMatch(FIRST_ID);
    const after = { openedMs: Number(OPENED_AT) + (COPIES / 2) * 1000, id: first?.id ?? '' };
    for (const filter of [{}, { zone }]) {
      const query = endOfPiece(database.query, filter, after).compile();
      const explained = CompiledQuery.raw(`${dialect === 'postgres' ? 'explain' : 'explain query plan'} ${query.sql}`, [
        ...query.parameters,
      ]);
      const { rows } = await database.change(async (run) => {
        // PostgreSQL prefers to read so few rows whole.
        if (dialect === 'postgres')
          await sql`set local enable_seqscan = off; set local enable_bitmapscan = off`.execute(run);
        return run.executeQuery<Record<string, unknown>>(explained);
      });
      const plan = rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/index.*alarm_(opened|zone)/i);
      expect(plan).not.toMatch(/temp b-tree|\bSort\b|seq scan/i);
    }
  });
});
