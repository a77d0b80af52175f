import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { digest } from '../../digest.ts';
import { declareSessionsSuite } from '../../ports/sessions-suite.fixture.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import { RedisSessions } from './redis-sessions.ts';
import { SESSIONS_OF_ONE_MAX } from './stored-sessions.ts';

const START_MS = Date.UTC(2026, 10, 21, 12);
const anna = { source: 'password', operatorId: 'anna', credential: 'hash' } as const;
const desk = { browser: 'Firefox on Linux', address: '192.0.2.7', isKept: false };
const REFUSED = { code: 'shared_store_failed', retryAfterS: 5 };

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let warnings: object[];
  let nowMs: number;
  let one: RedisSessions;
  let other: RedisSessions;
  beforeAll(async () => {
    server = await startRedis(['rdbcompression no']);
    connections = [
      await connectTo(server.target, { timeoutMs: 2000 }),
      await connectTo(server.target, { timeoutMs: 2000 }),
    ];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });

  function newServer(now: () => LocalInstant, at: 0 | 1): RedisSessions {
    return new RedisSessions({
      connection: connections[at],
      now,
      log: { warn: (entry: object) => warnings.push(entry) } as never,
    });
  }
  const both = (now: () => LocalInstant) => [newServer(now, 0), newServer(now, 1)] as const;
  const commands = () => connections[0].counts.commands + connections[1].counts.commands;
  const reachable = () => Promise.all(connections.map((each) => becomes(each, 'reachable')));

  declareSessionsSuite('two RedisSessions', async (now) => {
    await server.admin('FLUSHALL');
    warnings = [];
    return both(now);
  });

  beforeEach(async () => {
    await server.admin('FLUSHALL');
    warnings = [];
    nowMs = START_MS;
    [one, other] = both(() => localInstant(nowMs));
  });

  test('signing out ends it everywhere within a second, and polls cost the store next to nothing', async () => {
    const ids = await Promise.all(
      Array.from({ length: 200 }, (_, index) => one.open({ ...anna, operatorId: `operator ${index}` }, desk)),
    );
    const [first = '', ...rest] = ids;
    for (const id of ids) for (const each of [one, other]) await each.find(id);
    const before = commands();
    const closedMs = START_MS + MINUTE_MS;
    let polls = 0;
    let endedMs = Number.NaN;
    // Each of 200 viewers polls every four seconds, now here and now there, for two minutes.
    for (let step = 0; step < 6000; step++, nowMs += 20) {
      const id = ids[step % 200] ?? '';
      // At the worst moment: the other server has just asked.
      if (nowMs === closedMs - 20) expect(await other.peek(first)).toBeDefined();
      if (nowMs === closedMs) await one.close(first);
      if (nowMs >= closedMs && Number.isNaN(endedMs) && !(await other.peek(first))) endedMs = nowMs - closedMs;
      const found = await (Math.floor(step / 200) % 2 ? other : one).find(id);
      polls++;
      if (id !== first || nowMs < closedMs || nowMs > closedMs + SECOND_MS)
        expect(found !== undefined).toBe(rest.includes(id) || nowMs < closedMs);
    }
    expect(endedMs).toBeGreaterThan(0);
    expect(endedMs).toBeLessThanOrEqual(SECOND_MS);
    expect((commands() - before) / polls).toBeLessThanOrEqual(0.1);
  });

  test('while the store does not answer, what was checked within a minute reads on, nobody signs in, and after it all goes on', async () => {
    const [known, unknown] = [await one.open(anna, desk), await one.open(anna, desk)];
    await one.find(known);
    server.pause();
    nowMs += 10 * SECOND_MS;
    expect(await one.find(known)).toMatchObject({ operatorId: 'anna', isConfirmed: false });
    await expect(one.find(unknown), 'never read here').rejects.toMatchObject(REFUSED);
    await expect(one.open(anna, desk)).rejects.toMatchObject(REFUSED);
    await expect(one.close(known)).rejects.toMatchObject(REFUSED);
    await expect(one.list()).rejects.toMatchObject(REFUSED);
    await expect(one.rebind(digest(unknown), 'x')).rejects.toMatchObject(REFUSED);
    await one.drop({ key: digest(unknown), credentialDigest: digest('hash') });
    server.resume();
    await reachable();
    expect(await one.find(unknown)).toMatchObject({ isConfirmed: true });
  });

  test('a minute after the last check nothing is read, and nobody is taken for signed out', async () => {
    const id = await one.open(anna, desk);
    await one.find(id);
    server.pause();
    nowMs += MINUTE_MS - 1;
    expect(await one.find(id)).toMatchObject({ isConfirmed: false });
    nowMs += 1;
    await expect(one.find(id)).rejects.toMatchObject(REFUSED);
    server.resume();
    await reachable();
    expect(await one.find(id)).toMatchObject({ isConfirmed: true });
  });

  test('who asked to be signed out does not read on here, although it may not be done', async () => {
    const id = await one.open(anna, desk);
    await one.find(id);
    server.pause();
    await expect(one.close(id)).rejects.toMatchObject(REFUSED);
    await expect(one.find(id)).rejects.toMatchObject(REFUSED);
    server.resume();
    await reachable();
  });

  test('a flush ends all sessions everywhere, and new ones begin', async () => {
    const id = await one.open(anna, desk);
    for (const each of [one, other]) await each.find(id);
    await server.admin('FLUSHALL');
    const next = await one.open(anna, desk);
    nowMs += SECOND_MS;
    for (const each of [one, other]) {
      expect(await each.find(id)).toBeUndefined();
      expect(await each.find(next)).toBeDefined();
    }
  });

  test('a store that goes on from an older copy brings no session back that a server knows to have ended', async () => {
    const id = await one.open(anna, desk);
    await other.find(id);
    const [fields, key] = [await server.admin('HGETALL', `{lookout:1}:session:${digest(id)}`), digest(id)];
    await one.close(id);
    nowMs += SECOND_MS;
    await other.find(id);
    await server.kill();
    await Promise.all(connections.map((each) => becomes(each, 'lost')));
    await server.start();
    await server.admin(
      'HSET',
      `{lookout:1}:session:${key}`,
      ...Object.entries(fields as Record<string, string>).flat(),
    );
    await reachable();
    expect(await one.find(id)).toBeUndefined();
    nowMs += SECOND_MS;
    const third = newServer(() => localInstant(nowMs), 1);
    expect(await third.find(id), 'nor for one that has just started').toBeUndefined();
  });

  test('a full store ends sessions all the same', async () => {
    const id = await one.open(anna, desk);
    await other.find(id);
    await server.admin('CONFIG', 'SET', 'maxmemory', '1');
    try {
      await expect(one.open(anna, desk)).rejects.toMatchObject(REFUSED);
      nowMs += 2 * MINUTE_MS;
      expect(await other.find(id), 'and its use cannot be written').toMatchObject({ isConfirmed: true });
      expect(await one.end({ operatorId: 'anna' })).toBe(1);
      nowMs += SECOND_MS;
      expect(await other.find(id)).toBeUndefined();
    } finally {
      await server.admin('CONFIG', 'SET', 'maxmemory', '0');
    }
  });

  test.each([
    ['no JSON', ['HSET', 'record', '{']],
    ['another form', ['HSET', 'record', '{"operatorId":"anna"}']],
    [
      'a role that is none',
      [
        'HSET',
        'record',
        JSON.stringify({
          operatorId: 'x',
          source: 'oidc',
          person: { name: 'x', role: 'god', issuer: 'x', subject: 'x' },
          origin: desk,
          signedInAt: START_MS,
        }),
      ],
    ],
    ['no time of its last use', ['HSET', 'seen', 'now']],
    ['another kind of key', ['SET', 'x']],
  ])('what cannot be read is set aside for a week and lets nobody in: %s', async (_, [command = '', ...rest]) => {
    const id = await one.open(anna, desk);
    const key = `{lookout:1}:session:${digest(id)}`;
    await server.admin(command, key, ...rest);
    expect(await one.find(id)).toBeUndefined();
    expect(warnings).toMatchObject([{ key }]);
    const [aside] = (await server.admin('KEYS', '{lookout:1}:unreadable:*')) as string[];
    expect(Number(await server.admin('PTTL', aside ?? ''))).toBeGreaterThan(6 * DAY_MS);
    expect(await one.list()).toEqual([]);
  });

  test('the store has digests alone, under keys of ours that all expire', async () => {
    const id = await one.open(anna, desk);
    await one.rebind(digest(id), 'another');
    const keys = (await server.admin('KEYS', '*')) as string[];
    expect(keys.length).toBeGreaterThanOrEqual(5);
    for (const key of keys) {
      expect(key).toMatch(/^\{lookout:1\}:sessions?:/);
      expect(Number(await server.admin('PTTL', key))).toBeGreaterThan(12 * HOUR_MS);
      expect(String(await server.admin('DUMP', key))).not.toContain(id);
    }
  });

  test('of one operator so many are kept, and the one begun first ends', async () => {
    const first = await one.open(anna, desk);
    await one.find(first);
    nowMs += 1;
    await Promise.all(Array.from({ length: SESSIONS_OF_ONE_MAX }, () => one.open(anna, desk)));
    expect(await one.list('anna')).toHaveLength(SESSIONS_OF_ONE_MAX);
    nowMs += SECOND_MS;
    expect(await one.find(first)).toBeUndefined();
  });
});
