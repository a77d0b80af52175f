import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { declareViewsSuite, refusalOf } from '../ports/views-suite.fixture.ts';
import { SavedViews } from '../views/saved-views.ts';
import { SharedViews } from '../views/shared-views.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { redisKey } from './connection/redis-keys.ts';
import { RedisRows } from './redis-rows.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';

const gate = { name: 'North gate', query: '?view=47,8,9', shared: false };

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let now: LocalInstant;
  let files: SavedViews[] = [];
  let warnings: unknown[] = [];
  let runOfServer = '';
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connectTo(server.target, { timeoutMs: 2000 }), await connectTo(server.target)];
  });
  beforeEach(async () => {
    now = localInstant(Date.UTC(2026, 10, 22, 12));
    runOfServer = 'the first';
    await server.admin('FLUSHALL');
  });
  afterEach(() => {
    for (const file of files) file.close();
    files = [];
    warnings = [];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });
  const report = (error: unknown) => void warnings.push(error);
  const newPath = () => join(mkdtempSync(join(tmpdir(), 'lookout-shared-views-')), 'views.sqlite');
  const openFile = (path: string) => {
    const file = new SavedViews(path, report);
    files.push(file);
    return file;
  };
  function open(at: 0 | 1, path = newPath(), clock = () => now): SharedViews {
    const log = { warn: report } as never;
    const connection = {
      run: connections[at].run.bind(connections[at]),
      get state() {
        return { kind: 'reachable', since: now, server: runOfServer } as const;
      },
    };
    const rows = new RedisRows({ connection, log, name: 'views', keptMax: 1000, keptMs: DAY_MS });
    return new SharedViews({ file: openFile(path), rows, now: clock, report });
  }
  const namesAt = async (views: SharedViews, owner = 'al') => (await views.list(owner)).views.map(({ name }) => name);

  declareViewsSuite('SharedViews', async () => [open(0), open(1)]);

  test('after a flush every view is there again, and what was deleted stays deleted, also where a copy is behind', async () => {
    const [one, other] = [open(0), open(1)];
    const { id } = await one.add('al', { ...gate, name: 'deleted' });
    await one.add('al', { ...gate, name: 'kept' });
    expect(await namesAt(other)).toEqual(['deleted', 'kept']);
    now = addMs(now, SECOND_MS);
    await one.remove('al', id);
    await server.admin('FLUSHALL');
    // The other has not learnt of the deletion, and is asked first.
    expect(await namesAt(other)).toEqual(['deleted', 'kept']);
    expect(await namesAt(one)).toEqual(['kept']);
    expect(await namesAt(other)).toEqual(['kept']);
    expect(await namesAt(open(0)), 'and at a server that is new').toEqual(['kept']);
  });

  test('a store that goes on from an older copy takes no change back that a server knows', async () => {
    const [one, other] = [open(0), open(1)];
    const { id } = await one.add('al', gate);
    expect(await namesAt(other)).toEqual(['North gate']);
    const keys = ['meta', 'versions', 'all'].map((part) => redisKey('rows', 'views', part));
    for (const key of keys) await server.admin('COPY', key, `copy of ${key}`);
    now = addMs(now, SECOND_MS);
    await one.change('al', id, { name: 'South gate' });
    for (const key of keys) await server.admin('COPY', `copy of ${key}`, key, 'REPLACE');
    expect(await namesAt(one)).toEqual(['South gate']);
    expect(await namesAt(other)).toEqual(['South gate']);
  });

  test('the views of a server that was alone are those of all when it shares them; what it changed alone again, too', async () => {
    const path = newPath();
    const alone = openFile(path);
    const { id } = alone.add('al', gate);
    alone.setStart('al', id);
    alone.close();
    const other = open(1);
    await other.add('bea', { ...gate, shared: true });
    const shared = open(0, path);
    expect(await namesAt(shared)).toEqual(['North gate', 'North gate']);
    expect(await other.list('al')).toMatchObject({ views: [{ id }, { owner: 'bea' }], start: id });
    now = addMs(now, SECOND_MS);
    const again = openFile(path);
    again.remove('al', id);
    again.add('al', { ...gate, name: 'Apron' });
    again.close();
    await open(0, path).list('al');
    expect(await other.list('al')).toMatchObject({ views: [{ name: 'Apron' }, { owner: 'bea' }], start: null });
  });

  test('without the store views are read from the copy, and a change is refused in words; with it all goes on', async () => {
    const [one, other] = [open(0), open(1)];
    const { id } = await one.add('al', gate);
    await one.setStart('al', id);
    server.pause();
    for (const change of [
      () => one.add('al', { ...gate, name: 'x' }),
      () => one.remove('al', id),
      () => one.setStart('al', null),
    ])
      expect(await refusalOf(change)).toBe('shared_store_failed');
    expect(await namesAt(one)).toEqual(['North gate']);
    expect(await one.startQuery('al')).toBe(gate.query);
    server.resume();
    await becomes(connections[0], 'reachable');
    await one.change('al', id, { name: 'Gate' });
    expect(await namesAt(other)).toEqual(['Gate']);
  });

  test('reading is one command while nothing changes, and a change two', async () => {
    const one = open(0);
    const { id } = await one.add('al', gate);
    await one.list('al');
    const { counts } = connections[0];
    let before = counts.commands;
    await one.list('al');
    expect(counts.commands - before).toBe(1);
    before = counts.commands;
    await one.change('al', id, { name: 'Gate' });
    expect(counts.commands - before).toBe(2);
    for (const key of (await server.admin('KEYS', '*')) as string[])
      expect(Number(await server.admin('PTTL', key))).toBeGreaterThan(0);
  });

  test.each([
    ['no JSON', 'view:made-up', '9 {'],
    ['no view', 'view:made-up', '9 {"owner":7}'],
    ['no start', 'start:al', '9 {}'],
    ['of no kind', 'what', '9 null'],
    ['without a revision', 'view:made-up', 'null'],
  ])('a row that cannot be read is set aside, and the others are read: %s', async (_, id, text) => {
    const [one, other] = [open(0), open(1)];
    await one.add('al', gate);
    await server.admin('HSET', redisKey('rows', 'views', 'all'), id, text);
    await server.admin('ZADD', redisKey('rows', 'views', 'versions'), '1', id);
    expect(await namesAt(other)).toEqual(['North gate']);
    expect(await server.admin('HEXISTS', redisKey('rows', 'views', 'all'), id)).toBe(0);
    expect(await server.admin('KEYS', '{lookout:1}:unreadable:*')).toHaveLength(1);
  });

  test('of two that changed the same view apart, the later change is at both', async () => {
    const [one, other] = [open(0), open(1)];
    const { id } = await one.add('al', gate);
    await other.list('al');
    const keys = ['meta', 'versions', 'all'].map((part) => redisKey('rows', 'views', part));
    for (const key of keys) await server.admin('COPY', key, `copy of ${key}`);
    now = addMs(now, SECOND_MS);
    await one.change('al', id, { name: 'earlier' });
    for (const key of keys) await server.admin('COPY', `copy of ${key}`, key, 'REPLACE');
    runOfServer = 'the one that took over';
    now = addMs(now, SECOND_MS);
    await other.change('al', id, { name: 'later' });
    for (const views of [one, other, one]) expect(await namesAt(views)).toEqual(['later']);
  });
});
