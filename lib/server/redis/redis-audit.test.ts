import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { AuditFile } from '../audit/audit-file.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { auditRow } from '../audit/audit-row.ts';
import { declareAuditSuite } from '../audit/audit-suite.fixture.ts';
import { SharedAudit } from '../audit/shared-audit.ts';
import { SharedStoreFailure } from '../ports/shared-store-failure.ts';
import { StoreHealth } from '../stores/store-health.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { redisKey } from './connection/redis-keys.ts';
import { RedisRows } from './redis-rows.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';

const anna = { operator: { id: 'anna', name: 'anna' }, address: '192.0.2.7', requestId: 'r-1' };
const viewNamed = (view: string): AuditEvent => ({ kind: 'view_added', view, shared: false });
const START = localInstant(Date.UTC(2026, 10, 22, 12));

/** One server: its log, its file and what shares it. */
interface Server {
  readonly path: string;
  readonly log: AuditLog;
  readonly shared: SharedAudit;
  readonly file: AuditFile;
}

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let now: LocalInstant;
  let opened: AuditLog[] = [];
  let warnings: object[] = [];
  let runOfServer = '';
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connectTo(server.target, { timeoutMs: 2000 }), await connectTo(server.target)];
  });
  beforeEach(async () => {
    now = START;
    runOfServer = 'the first';
    await server.admin('FLUSHALL');
  });
  afterEach(() => {
    for (const log of opened) log.close();
    opened = [];
    warnings = [];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });
  const log = {
    warn: (entry: object) => warnings.push(entry),
    error: (entry: object) => warnings.push(entry),
    info: () => undefined,
  } as never;
  const newPath = () => join(mkdtempSync(join(tmpdir(), 'lookout-shared-audit-')), 'audit.sqlite');
  function open(at: 0 | 1, { path = newPath(), clock = () => now, keptMax = 1000 } = {}): Server {
    const file = new AuditFile(path);
    const connection = {
      run: connections[at].run.bind(connections[at]),
      get state() {
        return { kind: 'reachable', since: now, server: runOfServer } as const;
      },
    };
    const rows = new RedisRows({ connection, log, name: 'audit', keptMax, keptMs: DAY_MS });
    const audit = new AuditLog({ file, days: 30, now: clock, health: new StoreHealth() });
    opened.push(audit);
    return { path, log: audit, file, shared: new SharedAudit({ file, rows, days: 30, now: clock, log }) };
  }
  /** Until none of them has anything to send or to receive. */
  async function meet(...servers: readonly Server[]): Promise<void> {
    for (let turn = 0; turn < 3; turn++) for (const { shared } of servers) while (await shared.exchange());
  }
  const names = (each: Server) =>
    each.log.read({ limit: 1000 }).map(({ event }) => ('view' in event ? event.view : event.kind));

  declareAuditSuite('AuditLog over Redis', async (clock) => {
    const [one, other] = [open(0, { clock }), open(1, { clock })];
    return { logs: [one.log, other.log], meet: () => meet(one, other) };
  });

  test('goes on by itself: within seconds each server has what others recorded', async () => {
    const [one, other] = [open(0), open(1)];
    for (const { shared } of [one, other]) shared.start();
    one.log.record(anna, viewNamed('x'));
    await expect.poll(() => names(other)).toEqual(['x']);
    for (const { shared } of [one, other]) await shared.close();
  });

  test('a flush loses nothing that a server has copied, and one that is new learns it', async () => {
    const [one, other] = [open(0), open(1)];
    one.log.record(anna, viewNamed('x'));
    other.log.record(anna, viewNamed('y'));
    await meet(one, other);
    one.log.close();
    await server.admin('FLUSHALL');
    const late = open(0);
    await meet(other, late);
    expect(names(late).toSorted()).toEqual(['x', 'y']);
  });

  const keys = ['meta', 'versions', 'all'].map((part) => redisKey('rows', 'audit', part));

  test('a store that goes on from an older copy learns again what it has forgotten', async () => {
    const [one, other] = [open(0), open(1)];
    one.log.record(anna, viewNamed('kept'));
    await meet(one, other);
    for (const key of keys) await server.admin('COPY', key, `copy of ${key}`);
    one.log.record(anna, viewNamed('forgotten'));
    await meet(one);
    for (const key of keys) await server.admin('COPY', `copy of ${key}`, key, 'REPLACE');
    await meet(one, other);
    expect(names(other)).toEqual(['forgotten', 'kept']);
  });

  test('the same where others have written to the copy since, at the run of the server that took over', async () => {
    const [one, other] = [open(0), open(1)];
    await meet(one, other);
    for (const key of keys) await server.admin('COPY', key, `copy of ${key}`);
    one.log.record(anna, viewNamed('forgotten'));
    await meet(one);
    for (const key of keys) await server.admin('COPY', `copy of ${key}`, key, 'REPLACE');
    runOfServer = 'the one that took over';
    now = addMs(now, MINUTE_MS);
    other.log.record(anna, viewNamed('written since'));
    await meet(other);
    await meet(one, other);
    for (const each of [one, other]) expect(names(each)).toEqual(['written since', 'forgotten']);
  });

  test('the store away refuses nothing: what is recorded meanwhile is read here, and sent when it is back, by another process too', async () => {
    const [one, other] = [open(0), open(1)];
    await meet(one, other);
    server.pause();
    one.log.record(anna, viewNamed('x'));
    await expect(one.shared.exchange()).rejects.toThrow(SharedStoreFailure);
    expect(names(one)).toEqual(['x']);
    expect(one.log.waiting).toBe(0);
    server.resume();
    await becomes(connections[0], 'reachable');
    one.log.close();
    const again = open(0, { path: one.path });
    await meet(again, other);
    expect(names(other)).toEqual(['x']);
  });

  test('what a command at one server records reaches the others', async () => {
    const [one, other] = [open(0), open(1)];
    const command = new AuditFile(one.path);
    command.write([{ ...auditRow(anna, viewNamed('by command'), now), times: 1 }]);
    command.close();
    await meet(one, other);
    expect(names(other)).toEqual(['by command']);
  });

  test('the store is bounded: the first entries leave it, and stay in the files; all keys expire', async () => {
    const one = open(0, { keptMax: 700 });
    for (let index = 0; index < 1500; index++) {
      if (index % 50 === 0) now = addMs(now, MINUTE_MS);
      one.log.record(anna, viewNamed(`view ${index}`));
    }
    await meet(one);
    const late = open(1, { keptMax: 700 });
    await meet(late);
    const kept = late.log.read({ limit: 10_000 });
    expect(kept).toHaveLength(700);
    expect(kept[0]?.event).toMatchObject({ view: 'view 1499' });
    expect(one.log.read({ limit: 10_000 })).toHaveLength(1500);
    for (const key of (await server.admin('KEYS', '*')) as string[])
      expect(Number(await server.admin('PTTL', key))).toBeGreaterThan(0);
  });

  test('what is older than it is kept is not received, and what was deleted does not come back', async () => {
    const [one, other] = [open(0), open(1)];
    one.log.record(anna, viewNamed('old'));
    await meet(one);
    now = addMs(now, 31 * DAY_MS);
    one.log.record(anna, viewNamed('new'));
    await meet(one, other);
    await server.admin('FLUSHALL');
    await meet(one, other);
    expect(names(one)).toEqual(['new']);
    expect(names(other)).toEqual(['new']);
  });

  test.each(['no JSON', '{"id":"made-up"}', ''])(
    'an entry that cannot be read is set aside, and the others are read: %j',
    async (text) => {
      const [one, other] = [open(0), open(1)];
      one.log.record(anna, viewNamed('x'));
      await meet(one);
      await server.admin('HSET', redisKey('rows', 'audit', 'all'), 'made-up', text);
      await server.admin('ZADD', redisKey('rows', 'audit', 'versions'), '1', 'made-up');
      await meet(other);
      expect(names(other)).toEqual(['x']);
      expect(await server.admin('HEXISTS', redisKey('rows', 'audit', 'all'), 'made-up')).toBe(0);
      expect(await server.admin('KEYS', '{lookout:1}:unreadable:*')).toHaveLength(1);
      expect(warnings).toMatchObject([{ row: 'made-up' }]);
    },
  );

  test('a table that cannot be read is set aside, and given again', async () => {
    const [one, other] = [open(0), open(1)];
    one.log.record(anna, viewNamed('x'));
    await meet(one);
    await server.admin('SET', redisKey('rows', 'audit', 'all'), 'x');
    await meet(one, other);
    expect(names(other)).toEqual(['x']);
  });

  test('a kind that only a newer version records is kept, and told to others, and shown by who knows it', async () => {
    const [one, other] = [open(0), open(1)];
    const event = { kind: 'of the future', what: 7 } as unknown as AuditEvent;
    one.log.record(anna, event);
    one.log.record(anna, viewNamed('x'));
    await meet(one, other);
    expect(names(other)).toEqual(['x']);
    await server.admin('FLUSHALL');
    await meet(other);
    expect(await server.admin('HLEN', redisKey('rows', 'audit', 'all'))).toBe(2);
  });

  test('while nothing happens an exchange is one command', async () => {
    const one = open(0);
    await meet(one);
    const { commands } = connections[0].counts;
    expect(await one.shared.exchange()).toBe(false);
    expect(connections[0].counts.commands).toBe(commands + 1);
  });
});
