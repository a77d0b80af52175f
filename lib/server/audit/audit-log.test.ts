import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AUDIT_TEXT_MAX_LENGTH, type AuditEvent, auditEntrySchema } from '#lib/api/people/audit-event.ts';
import { auditText } from '#lib/api/people/audit-text.ts';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { turnsDuring } from '#testing/turns-during.ts';
import type { Database } from '../database/database.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { AuditEvents } from './audit-events.ts';
import { AuditLog } from './audit-log.ts';
import { type Actor, auditRow } from './audit-row.ts';

const anna: Actor = { operator: { id: 'anna', name: 'anna' }, address: '192.0.2.7', requestId: 'r-1' };
const stranger: Actor = { operator: null, address: '198.51.100.9', requestId: 'r-2' };
const wrong: AuditEvent = { kind: 'sign_in_refused', method: 'password', person: null, reason: 'not_accepted' };
const viewNamed = (view: string): AuditEvent => ({ kind: 'view_added', view, shared: false });
const nameOf = (event: AuditEvent) => ('view' in event && event.view !== null ? event.view : event.kind);

describeDatabases('the audit log', ({ newTarget, open: openDatabase, testOnce }) => {
  let now: LocalInstant;
  let database: Database;
  let one: AuditLog;
  let other: AuditLog;
  let opened: AuditLog[];
  beforeEach(async () => {
    now = localInstant(Date.UTC(2026, 10, 22, 12));
    opened = [];
    const target = newTarget();
    database = await openDatabase(target);
    one = open(database);
    other = open(await openDatabase(target));
    await all(one);
    await all(other);
  });
  afterEach(async () => {
    for (const log of opened) await log.close();
  });
  function open(at: Database, onOverdue: (overdue: unknown) => void = () => undefined): AuditLog {
    const log = new AuditLog({
      events: new AuditEvents(at),
      days: 30,
      part: strictSupervisor().part('audit'),
      now: () => now,
      onOverdue,
    });
    opened.push(log);
    return log;
  }
  const all = (log: AuditLog) => log.read({ limit: 100_000 });
  const meet = () => Promise.all([all(one), all(other)]);
  const texts = async (log: AuditLog) => (await all(log)).map(({ event, times }) => `${times}× ${auditText(event)}`);

  test('gives every process what one recorded, whole and in the same order', async () => {
    for (let index = 0; index < 20; index++) {
      now = addMs(now, SECOND_MS);
      (index % 3 ? one : other).record(anna, viewNamed(String(index)));
    }
    await meet();
    expect(await all(other)).toEqual(await all(one));
    expect((await all(one)).map(({ event }) => nameOf(event))).toEqual(
      Array.from({ length: 20 }, (_, at) => String(19 - at)),
    );
    expect((await all(one))[0]).toMatchObject({ operator: anna.operator, address: anna.address, request_id: 'r-1' });
  });

  test('is searched in pieces, with a turn for others at each, and finds what is at its end', async () => {
    const events = new AuditEvents(database);
    const rows = Array.from({ length: 5000 }, (_, index) =>
      Object.assign(auditRow(events.newId(addMs(now, index)), anna, viewNamed(String(index)), now), { times: 1 }),
    );
    await events.write(rows);
    await events.write([Object.assign(auditRow(events.newId(addMs(now, -1)), stranger, wrong, now), { times: 1 })]);
    const search = { kind: 'sign_in_refused', limit: 101 } as const;
    const { result, turns } = await turnsDuring(() => events.read(search));
    expect(result.map(({ event }) => event.kind)).toEqual(['sign_in_refused']);
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(await events.read({ limit: 5 })).toHaveLength(5);
    expect(await all(one)).toHaveLength(5001);
    await expect(events.read(search, AbortSignal.abort())).rejects.toThrow('aborted');
  });

  test('counts in one entry what happens again after others have read it', async () => {
    one.record(anna, viewNamed('x'));
    await meet();
    now = addMs(now, SECOND_MS);
    one.record(anna, viewNamed('x'));
    other.record(anna, viewNamed('y'));
    await meet();
    for (const log of [one, other])
      expect((await all(log)).map(({ event, times }) => [nameOf(event), times])).toEqual([
        ['y', 1],
        ['x', 2],
      ]);
    expect(await all(other)).toEqual(await all(one));
  });

  testOnce('continues pages at any process', async () => {
    for (let index = 0; index < 30; index++) {
      (index % 2 ? one : other).record(anna, viewNamed(String(index)));
      if (index % 5 === 0) now = addMs(now, 1);
    }
    await meet();
    const seen: string[] = [];
    let before: string | undefined;
    for (let page = 0; page < 6; page++) {
      const entries = await (page % 2 ? one : other).read({ limit: 5, before });
      seen.push(...entries.map(({ event }) => nameOf(event)));
      before = entries.at(-1)?.id;
    }
    expect(new Set(seen).size).toBe(30);
  });

  testOnce('keeps who did what, from where, when and how often', async () => {
    const log = one;
    log.record(anna, { kind: 'signed_in', method: 'password', session: 'abcdefgh' });
    now = addMs(now, SECOND_MS);
    log.record(stranger, { ...wrong, person: 'anna' });
    now = addMs(now, SECOND_MS);
    log.record({ ...stranger, requestId: 'r-3' }, { ...wrong, person: 'anna' });
    await log.close();
    const entries = await all(other);
    expect(entries).toEqual([
      {
        id: expect.stringMatching(/^\d{15}-\d{9}-[0-9a-f]{12}$/),
        at: '2026-11-22T12:00:01.000Z',
        last: '2026-11-22T12:00:02.000Z',
        times: 2,
        operator: null,
        address: '198.51.100.9',
        request_id: 'r-2',
        event: { ...wrong, person: 'anna' },
      },
      {
        id: expect.stringMatching(/^\d{15}-\d{9}-[0-9a-f]{12}$/),
        at: '2026-11-22T12:00:00.000Z',
        last: '2026-11-22T12:00:00.000Z',
        times: 1,
        operator: { id: 'anna', name: 'anna' },
        address: '192.0.2.7',
        request_id: 'r-1',
        event: { kind: 'signed_in', method: 'password', session: 'abcdefgh' },
      },
    ]);
    for (const entry of entries) expect(auditEntrySchema.safeParse(entry).success).toBe(true);
  });

  test('is read by operator, kind, time and in pages', async () => {
    const log = one;
    log.record(anna, viewNamed('one'));
    now = addMs(now, MINUTE_MS);
    log.record(stranger, { ...wrong, person: 'anna' });
    log.record({ ...anna, operator: { id: 'bea', name: 'bea' } }, viewNamed('two'));
    const order = (await all(log)).toReversed();
    const ids = async (filter: object) =>
      (await log.read({ limit: 10, ...filter })).map(({ id }) => 1 + order.findIndex((each) => each.id === id));
    expect(await ids({ operator: 'anna' })).toEqual([2, 1]);
    expect(await ids({ kind: 'view_added' })).toEqual([3, 1]);
    expect(await ids({ since: now })).toEqual([3, 2]);
    expect(await ids({ until: now })).toEqual([1]);
    expect(await ids({ limit: 2 })).toEqual([3, 2]);
    expect(await ids({ limit: 2, before: order[1]?.id })).toEqual([1]);
  });

  testOnce('counts a flood of one operator or of strangers after its rows of a minute', async () => {
    const log = one;
    for (let n = 0; n < 1000; n++) log.record({ ...stranger, address: `198.51.100.${n}` }, wrong);
    for (let n = 0; n < 1000; n++) log.record(anna, viewNamed(`view ${n}`));
    log.record({ ...anna, operator: { id: 'bea', name: 'bea' } }, viewNamed('of bea'));
    const rows = await texts(log);
    expect(rows).toHaveLength(60 + 1 + 60 + 1 + 1);
    expect(rows[0]).toBe('1× saved the view “of bea”');
    expect(rows.filter((row) => row.includes('more of the same kind'))).toEqual([
      '940× more of the same kind (view saved) than is recorded singly',
      '940× more of the same kind (sign-in refused) than is recorded singly',
    ]);
    now = addMs(now, MINUTE_MS);
    log.record(anna, viewNamed('a minute later'));
    expect((await texts(log))[0]).toBe('1× saved the view “a minute later”');
  });

  testOnce('finds what was only counted, or lost, by operator and kind', async () => {
    const log = one;
    for (let n = 0; n < 100; n++) log.record({ ...stranger, address: `198.51.100.${n}` }, { ...wrong, person: 'bea' });
    for (let n = 0; n < 100; n++) log.record(anna, viewNamed(`view ${n}`));
    log.record({ ...stranger, requestId: null }, { kind: 'lost' });
    const counted = async (filter: object) =>
      (await log.read({ limit: 1000, ...filter }))
        .map(({ event }) => (event.kind === 'more' ? `more ${event.of}` : event.kind))
        .filter((kind) => kind.startsWith('more') || kind === 'lost')
        .sort();
    expect(await counted({})).toEqual(['lost', 'more sign_in_refused', 'more view_added']);
    expect(await counted({ operator: 'cleo' })).toEqual(['lost', 'more sign_in_refused']);
    expect(await counted({ operator: 'anna' })).toEqual(['lost', 'more sign_in_refused', 'more view_added']);
    expect(await counted({ kind: 'view_added' })).toEqual(['lost', 'more view_added']);
    expect(await counted({ kind: 'signed_in' })).toEqual(['lost']);
    expect(await counted({ kind: 'view_added', operator: 'cleo' })).toEqual(['lost']);
  });

  testOnce('keeps entries as old as was set, and no older', async () => {
    const log = one;
    log.record(anna, viewNamed('old'));
    now = addMs(now, DAY_MS);
    log.record(anna, viewNamed('young'));
    now = addMs(now, 29 * DAY_MS);
    log.record(anna, viewNamed('today'));
    expect(await texts(log)).toHaveLength(3);
    now = addMs(now, DAY_MS);
    log.record(anna, viewNamed('tomorrow'));
    expect((await texts(log)).join()).not.toContain('old');
    expect((await texts(log)).join()).toContain('young');
  });

  testOnce('deletes nothing by a clock that is 40 days ahead, and reports what is due by it', async () => {
    const log = one;
    for (let day = 0; day < 30; day += 1) {
      log.record(anna, viewNamed(`of day ${day}`));
      now = addMs(now, DAY_MS);
    }
    await log.close();
    now = addMs(now, 40 * DAY_MS);
    const overdue: unknown[] = [];
    const ahead = open(database, (found) => overdue.push((found as { before: unknown }).before));
    expect(await texts(ahead)).toHaveLength(30);
    expect(overdue).toEqual([]);
    now = addMs(now, DAY_MS);
    ahead.record(anna, viewNamed('of a wrong day'));
    expect(await texts(ahead)).toHaveLength(31);
    expect(overdue).toEqual([addMs(now, -30 * DAY_MS)]);

    expect(await new AuditEvents(database).deleteBefore(addMs(now, -30 * DAY_MS))).toBe(30);
    expect(await texts(ahead)).toHaveLength(1);
  });

  test('keeps no text that breaks a line, turns one around or is longer than its limit', async () => {
    const log = one;
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('\n', '\u202e', '\u0000', '\ud800'),
    );
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (name, address) => {
        now = addMs(now, MINUTE_MS);
        log.record({ operator: { id: name, name }, address, requestId: null }, viewNamed(name));
        const [entry] = await log.read({ limit: 1 });
        const found = [
          entry?.operator?.id,
          entry?.operator?.name,
          entry?.address,
          auditText(entry?.event ?? wrong),
        ].join(' ');
        expect(found).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(found.replaceAll(/\\u\{[0-9a-f]+\}/g, '?').length).toBeLessThan(9 * AUDIT_TEXT_MAX_LENGTH);
      }),
    );
  });

  testOnce('rounds an area outwards', async () => {
    const log = one;
    log.record(anna, {
      kind: 'past_loaded',
      bbox: [8.12345, 46.98765, 8.23456, 47.12345],
      layers: ['adsb'],
      start: '2026-11-22T11:00:00Z',
      end: '2026-11-22T12:00:00Z',
      requests: 3,
      outcome: 'complete',
      format: null,
    });
    expect(await texts(log)).toEqual([
      '1× loaded adsb in 8.12,46.98,8.24,47.13 from 2026-11-22T11:00:00Z to 2026-11-22T12:00:00Z: complete, 3 requests',
    ]);
  });

  testOnce('ignores events after it was closed', async () => {
    const log = one;
    await log.close();
    expect(() => log.record(anna, viewNamed('too late'))).not.toThrow();
  });

  const breakTable = () => sql`alter table audit_event rename to moved_away`.execute(database.query);
  const mendTable = () => sql`alter table moved_away rename to audit_event`.execute(database.query);

  test('refuses nothing while the database fails, and writes what happened meanwhile once it works', async () => {
    await breakTable();
    for (let n = 0; n < 5; n++) one.record(anna, viewNamed(`view ${n}`));
    await eventually(() => expect(database.failure?.kind).toBe('other-schema'));
    expect(one.waiting).toBe(5);
    await mendTable();
    await eventually(() => expect(one.waiting).toBe(0));
    await eventually(() => expect(database.failure).toBeUndefined());
    expect((await texts(other)).toReversed()).toEqual([0, 1, 2, 3, 4].map((n) => `1× saved the view “view ${n}”`));
  });

  testOnce('bounds what waits while the database fails, and counts what is beyond', async () => {
    await breakTable();
    for (let n = 0; n < 12_000; n++) {
      if (n % 50 === 0) now = addMs(now, MINUTE_MS);
      one.record(anna, viewNamed(`view ${n}`));
    }
    expect(one.waiting).toBeLessThan(10_100);
    await mendTable();
    await eventually(() => expect(one.waiting).toBe(0));
    const entries = await all(other);
    const sum = (some: typeof entries) => some.reduce((total, { times }) => total + times, 0);
    expect(sum(entries.filter(({ event }) => event.kind === 'lost'))).toBe(2000);
    expect(sum(entries)).toBe(12_000);
  });
});
