import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AUDIT_KINDS, AUDIT_TEXT_MAX_LENGTH, type AuditEvent, auditEntrySchema } from '#lib/api/people/audit-event.ts';
import { auditText } from '#lib/api/people/audit-text.ts';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { StoreHealth } from '../stores/store-health.ts';
import { AuditFile } from './audit-file.ts';
import { AuditLog } from './audit-log.ts';
import type { Actor } from './audit-row.ts';
import { declareAuditSuite } from './audit-suite.fixture.ts';

const anna: Actor = { operator: { id: 'anna', name: 'anna' }, address: '192.0.2.7', requestId: 'r-1' };
const stranger: Actor = { operator: null, address: '198.51.100.9', requestId: 'r-2' };
const wrong: AuditEvent = { kind: 'sign_in_refused', method: 'password', person: null, reason: 'not_accepted' };
const viewNamed = (view: string): AuditEvent => ({ kind: 'view_added', view, shared: false });

let now: LocalInstant;
let opened: AuditLog[];
beforeEach(() => {
  now = localInstant(Date.UTC(2026, 10, 22, 12));
  opened = [];
});
afterEach(() => {
  for (const log of opened) log.close();
  vi.useRealTimers();
});

const newFile = () => join(mkdtempSync(join(tmpdir(), 'lookout-audit-')), 'audit.sqlite');
function open(file = ':memory:', days = 30) {
  const reported: unknown[] = [];
  const health = new StoreHealth(({ store, problem }) => reported.push([store, problem]));
  const log = new AuditLog({ file: new AuditFile(file), days, now: () => now, health });
  opened.push(log);
  return { log, reported };
}
const all = (log: AuditLog) => log.read({ limit: 100_000 });
const texts = (log: AuditLog) => all(log).map(({ event, times }) => `${times}× ${auditText(event)}`);

/** Begins an audit log as another process that is faster, once it says so: it holds the file until it has done so. */
const HOLDS = `
const { DatabaseSync } = require('node:sqlite');
const [file, before, after] = process.argv.slice(1);
const database = new DatabaseSync(file, { timeout: 5000 });
database.exec(before);
require('node:fs').writeSync(1, 'held');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
database.exec(after);
`;

/** Another process that runs one statement, and the other half a second later. Resolves when the first has run. */
async function anotherHolds(file: string, before: string, after: string) {
  const other = spawn(process.execPath, ['-e', HOLDS, file, before, after], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(other, 'close');
  await once(other.stdout, 'data');
  return { closed };
}

/** The statements that make an audit log. */
function auditSchema(): string {
  const file = newFile();
  new AuditFile(file).close();
  const made = new DatabaseSync(file);
  const statements = made.prepare("select sql from sqlite_schema where name not like 'sqlite_%'").all();
  const pragmas = ['application_id', 'user_version'].map((name) => {
    const value = Object.values(made.prepare(`pragma ${name}`).get() ?? {})[0];
    return `pragma ${name} = ${value}`;
  });
  made.close();
  return [...statements.map(({ sql }) => String(sql)), ...pragmas].join(';');
}

declareAuditSuite('two AuditLog over one file', async (clock) => {
  const file = newFile();
  const [one, other] = [0, 1].map(
    () => new AuditLog({ file: new AuditFile(file), days: 30, now: clock, health: new StoreHealth() }),
  ) as [AuditLog, AuditLog];
  opened.push(one, other);
  return { logs: [one, other], meet: async () => undefined };
});

/** As a Lookout of one server alone began it. */
const VERSION_1 = `
  create table event (
    id integer primary key autoincrement, at_ms integer not null, last_ms integer not null, times integer not null,
    kind text not null, operator text, name text, person text, address text, request_id text, details text not null
  ) strict;
  create index event_time on event (last_ms);
  create index event_operator on event (operator, kind);
  pragma application_id = 1282097525;
  insert into event values
    (9, 1795348800000, 1795348801000, 3, 'view_added', 'anna', 'anna', null, '192.0.2.7', 'r', '{"kind":"view_added","view":"first","shared":false}'),
    (10, 1795348800000, 1795348800000, 1, 'view_added', 'anna', 'anna', null, '192.0.2.7', 'r', '{"kind":"view_added","view":"second","shared":false}')`;

describe('the audit log', () => {
  test('a file of version 1 is taken over whole, in its order', () => {
    const file = newFile();
    const before = new DatabaseSync(file);
    before.exec(VERSION_1);
    before.close();
    const readOnly = new AuditFile(file, { readOnly: true });
    expect(readOnly.read({ limit: 1, before: readOnly.read({ limit: 1 })[0]?.id })).toHaveLength(1);
    readOnly.close();
    const { log } = open(file);
    expect(texts(log)).toEqual(['1× saved the view “second”', '3× saved the view “first”']);
    now = addMs(now, SECOND_MS);
    log.record(anna, viewNamed('third'));
    expect(texts(log)[0]).toBe('1× saved the view “third”');
    log.close();
    opened = [];
    expect(texts(open(file).log)).toHaveLength(3);
  });

  test.each([
    ['begins it', 'begin immediate', `${auditSchema()}; commit`],
    ['writes to what is begun', `${auditSchema()}; begin immediate`, 'commit'],
  ])('is begun once and opened, where at the same moment another process %s', async (_, before, after) => {
    const file = newFile();
    const other = await anotherHolds(file, before, after);
    const log = new AuditFile(file, { readOnly: false, busyTimeoutMs: 5000 });
    expect(log.read({ limit: 1 })).toEqual([]);
    log.close();
    expect(await other.closed).toEqual([0, null]);
  });

  test('keeps over a restart who did what, from where, when and how often, in a file for its owner alone', () => {
    const file = newFile();
    const { log } = open(file);
    log.record(anna, { kind: 'signed_in', method: 'password', session: 'abcdefgh' });
    now = addMs(now, SECOND_MS);
    log.record(stranger, { ...wrong, person: 'anna' });
    now = addMs(now, SECOND_MS);
    log.record({ ...stranger, requestId: 'r-3' }, { ...wrong, person: 'anna' });
    log.close();
    opened = [];
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const entries = all(open(file).log);
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

  test('its write-ahead log is for its owner alone too', () => {
    const file = newFile();
    open(file).log.record(anna, viewNamed('x'));
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
  });

  test('is read by operator, whether they did it or it was done to them, by kind, by time and in pages', () => {
    const { log } = open();
    log.record(anna, viewNamed('one'));
    now = addMs(now, MINUTE_MS);
    log.record(stranger, { ...wrong, person: 'anna' });
    log.record({ ...anna, operator: { id: 'bea', name: 'bea' } }, viewNamed('two'));
    const order = all(log).toReversed();
    const ids = (filter: object) =>
      log.read({ limit: 10, ...filter }).map(({ id }) => 1 + order.findIndex((each) => each.id === id));
    expect(ids({ operator: 'anna' })).toEqual([2, 1]);
    expect(ids({ kind: 'view_added' })).toEqual([3, 1]);
    expect(ids({ since: now })).toEqual([3, 2]);
    expect(ids({ until: now })).toEqual([1]);
    expect(ids({ limit: 2 })).toEqual([3, 2]);
    expect(ids({ limit: 2, before: order[1]?.id })).toEqual([1]);
  });

  test('a flood of one operator or of strangers is rows for a minute and then a number, and takes no row from others', () => {
    const { log } = open();
    for (let n = 0; n < 1000; n++) log.record({ ...stranger, address: `198.51.100.${n}` }, wrong);
    for (let n = 0; n < 1000; n++) log.record(anna, viewNamed(`view ${n}`));
    log.record({ ...anna, operator: { id: 'bea', name: 'bea' } }, viewNamed('of bea'));
    const rows = texts(log);
    expect(rows).toHaveLength(60 + 1 + 60 + 1 + 1);
    expect(rows[0]).toBe('1× saved the view “of bea”');
    expect(rows.filter((row) => row.includes('more of the same kind'))).toEqual([
      '940× more of the same kind (view saved) than is recorded singly',
      '940× more of the same kind (sign-in refused) than is recorded singly',
    ]);
    now = addMs(now, MINUTE_MS);
    log.record(anna, viewNamed('a minute later'));
    expect(texts(log)[0]).toBe('1× saved the view “a minute later”');
  });

  test('what was only counted, or lost, is found by whom and what it may have been', () => {
    const { log } = open();
    for (let n = 0; n < 100; n++) log.record({ ...stranger, address: `198.51.100.${n}` }, { ...wrong, person: 'bea' });
    for (let n = 0; n < 100; n++) log.record(anna, viewNamed(`view ${n}`));
    log.record({ ...stranger, requestId: null }, { kind: 'lost' });
    const counted = (filter: object) =>
      log
        .read({ limit: 1000, ...filter })
        .map(({ event }) => (event.kind === 'more' ? `more ${event.of}` : event.kind))
        .filter((kind) => kind.startsWith('more') || kind === 'lost')
        .sort();
    expect(counted({})).toEqual(['lost', 'more sign_in_refused', 'more view_added']);
    // A refusal that was only counted may have been one of hers; a view is nobody's but its owner's.
    expect(counted({ operator: 'cleo' })).toEqual(['lost', 'more sign_in_refused']);
    expect(counted({ operator: 'anna' })).toEqual(['lost', 'more sign_in_refused', 'more view_added']);
    expect(counted({ kind: 'view_added' })).toEqual(['lost', 'more view_added']);
    expect(counted({ kind: 'signed_in' })).toEqual(['lost']);
    expect(counted({ kind: 'view_added', operator: 'cleo' })).toEqual(['lost']);
  });

  test('keeps what is as old as was set, and no older', () => {
    const file = newFile();
    const { log } = open(file, 30);
    log.record(anna, viewNamed('old'));
    now = addMs(now, DAY_MS);
    log.record(anna, viewNamed('young'));
    now = addMs(now, 29 * DAY_MS);
    log.record(anna, viewNamed('today'));
    expect(texts(log)).toHaveLength(3);
    now = addMs(now, DAY_MS);
    log.record(anna, viewNamed('tomorrow'));
    expect(texts(log).join()).not.toContain('old');
    expect(texts(log).join()).toContain('young');
  });

  test('a clock that is 40 days ahead deletes nothing, and what is due by it is reported until it is confirmed', () => {
    const file = newFile();
    const { log } = open(file, 30);
    for (let day = 0; day < 30; day += 1) {
      log.record(anna, viewNamed(`of day ${day}`));
      now = addMs(now, DAY_MS);
    }
    log.close();
    now = addMs(now, 40 * DAY_MS);
    const overdue: unknown[] = [];
    const ahead = new AuditLog({
      file: new AuditFile(file),
      days: 30,
      now: () => now,
      health: new StoreHealth(),
      onOverdue: ({ before }) => overdue.push(before),
    });
    opened.push(ahead);
    expect(texts(ahead)).toHaveLength(30);
    expect(overdue).toEqual([]);
    now = addMs(now, DAY_MS);
    ahead.record(anna, viewNamed('of a wrong day'));
    expect(texts(ahead)).toHaveLength(31);
    expect(overdue).toEqual([addMs(now, -30 * DAY_MS)]);

    const other = new AuditFile(file);
    expect(other.deleteBefore(addMs(now, -30 * DAY_MS))).toBe(30);
    other.close();
    expect(texts(ahead)).toHaveLength(1);
  });

  test('no text breaks a line, turns a line around or is longer than its limit', () => {
    const { log } = open();
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('\n', '\u202e', '\u0000', '\ud800'),
    );
    fc.assert(
      fc.property(hostile, hostile, (name, address) => {
        now = addMs(now, MINUTE_MS);
        log.record({ operator: { id: name, name }, address, requestId: null }, viewNamed(name));
        const [entry] = log.read({ limit: 1 });
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

  test('an area is rounded outwards', () => {
    const { log } = open();
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
    expect(texts(log)).toEqual([
      '1× loaded adsb in 8.12,46.98,8.24,47.13 from 2026-11-22T11:00:00Z to 2026-11-22T12:00:00Z: complete, 3 requests',
    ]);
  });

  test('a file that cannot be written refuses nothing, is said once, and gets what happened meanwhile as soon as it can', () => {
    vi.useFakeTimers();
    const file = newFile();
    const { log, reported } = open(file);
    const other = new DatabaseSync(file);
    other.exec('begin exclusive');
    for (let n = 0; n < 5; n++) log.record(anna, viewNamed(`view ${n}`));
    expect(reported).toHaveLength(1);
    expect(log.waiting).toBe(5);
    vi.advanceTimersByTime(10 * SECOND_MS);
    expect(reported).toHaveLength(1);
    other.exec('rollback');
    other.close();
    vi.advanceTimersByTime(10 * SECOND_MS);
    expect(reported).toEqual([
      ['audit.sqlite', 'in-use'],
      ['audit.sqlite', undefined],
    ]);
    expect(texts(log).toReversed()).toEqual([0, 1, 2, 3, 4].map((n) => `1× saved the view “view ${n}”`));
  });

  test('what ends after it was closed fails nothing', () => {
    const { log } = open(newFile());
    log.close();
    expect(() => log.record(anna, viewNamed('too late'))).not.toThrow();
  });

  test('memory is bounded while the file cannot be written: what is beyond is counted', () => {
    vi.useFakeTimers();
    const file = newFile();
    const { log } = open(file);
    const other = new DatabaseSync(file);
    other.exec('begin exclusive');
    for (let n = 0; n < 12_000; n++) {
      if (n % 50 === 0) now = addMs(now, MINUTE_MS);
      log.record(anna, viewNamed(`view ${n}`));
    }
    expect(log.waiting).toBeLessThan(10_100);
    other.exec('rollback');
    other.close();
    vi.advanceTimersByTime(10 * SECOND_MS);
    const lost = all(log).filter(({ event }) => event.kind === 'lost');
    expect(lost.reduce((sum, { times }) => sum + times, 0)).toBe(2000);
    expect(all(log).reduce((sum, { times }) => sum + times, 0)).toBe(12_000);
  });

  test.each([
    ['of another program', () => new DatabaseSync(damaged).exec('create table x (a)')],
    [
      'that is damaged',
      () => writeFileSync(damaged, 'no database at all, but long enough to be read as one '.repeat(40)),
    ],
  ])('a file %s is refused by its name and left as it is', (_, make) => {
    damaged = newFile();
    make();
    const before = readFileSync(damaged);
    expect(() => new AuditFile(damaged)).toThrow(damaged);
    expect(readFileSync(damaged).equals(before)).toBe(true);
  });
  let damaged = '';

  test('has no kind of event without words', () => {
    expect(AUDIT_KINDS).toContain('past_loaded');
    expect(new Set(AUDIT_KINDS).size).toBe(20);
  });
});
