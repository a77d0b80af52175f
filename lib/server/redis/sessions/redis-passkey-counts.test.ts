import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { declarePasskeyCountsSuite } from '../../ports/passkey-counts-suite.fixture.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import { RedisPasskeyCounts } from './redis-passkey-counts.ts';

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let counts: RedisPasskeyCounts;
  let other: RedisPasskeyCounts;
  let warnings: object[];
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connectTo(server.target, { timeoutMs: 2000 }), await connectTo(server.target)];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });
  const now = () => localInstant(Date.UTC(2026, 10, 21, 12));
  const log = { warn: (entry: object) => warnings.push(entry) } as never;
  const newCounts = (at: 0 | 1) => new RedisPasskeyCounts({ connection: connections[at], now, log });

  declarePasskeyCountsSuite('RedisPasskeyCounts', async () => {
    warnings = [];
    await server.admin('FLUSHALL');
    return [newCounts(0), newCounts(1)];
  });

  beforeEach(async () => {
    warnings = [];
    await server.admin('FLUSHALL');
    [counts, other] = [newCounts(0), newCounts(1)];
  });

  test('after a flush a count goes on from what a server remembers, and for one that knows nothing it begins anew and says so', async () => {
    await counts.begin('key', 7);
    await server.admin('FLUSHALL');
    expect(await counts.advance('key', 7)).toBe('went-back');
    expect(await other.advance('key', 7), 'and the others know it too').toBe('went-back');
    await server.admin('FLUSHALL');
    expect(await newCounts(0).advance('key', 3)).toBe('begun-anew');
  });

  test('a store that goes on from an older copy takes no count back that a server has seen', async () => {
    await counts.begin('key', 1);
    const [key = ''] = (await server.admin('KEYS', '*')) as string[];
    const old = (await server.admin('GET', key)) as string;
    expect(await counts.advance('key', 9)).toBe('went-on');
    await server.admin('SET', key, old);
    expect(await counts.advance('key', 5)).toBe('went-back');
    expect(await other.advance('key', 9)).toBe('went-back');
  });

  test.each([
    ['text', ['SET', '-1']],
    ['another kind of key', ['LPUSH', 'x']],
  ])('what cannot be read is set aside, and told: %s', async (_, [command = '', value = '']) => {
    await counts.begin('key', 7);
    const [key = ''] = (await server.admin('KEYS', '*')) as string[];
    await server.admin('DEL', key);
    await server.admin(command, key, value);
    expect(await other.advance('key', 1)).toBe('begun-anew');
    expect(warnings).toMatchObject([{ key }]);
    expect(await server.admin('KEYS', '{lookout:1}:unreadable:*')).toHaveLength(1);
  });

  test('without the store no count is accepted', async () => {
    await counts.begin('key', 7);
    server.pause();
    await expect(counts.advance('key', 8)).rejects.toMatchObject({ code: 'shared_store_failed' });
    server.resume();
    await becomes(connections[0], 'reachable');
    const [key = ''] = (await server.admin('KEYS', '*')) as string[];
    expect(Number(await server.admin('PTTL', key))).toBeGreaterThan(0);
  });
});
