import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { declareShortLivedSuite } from '../../ports/short-lived-suite.fixture.ts';
import { Challenges } from '../../session/passkeys/challenges.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import { RedisShortLived } from './redis-short-lived.ts';

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let now: LocalInstant;
  let warnings: object[];
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connectTo(server.target, { timeoutMs: 2000 }), await connectTo(server.target)];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });
  const log = { warn: (entry: object) => warnings.push(entry) } as never;
  const make = async (clock: () => LocalInstant, keptMax?: number) => {
    warnings = [];
    await server.admin('FLUSHALL');
    const [one, other] = connections.map(
      (connection) => new RedisShortLived({ connection, now: clock, log, ...(keptMax ? { keptMax } : {}) }),
    );
    return [one, other] as [RedisShortLived, RedisShortLived];
  };

  declareShortLivedSuite('RedisShortLived', make);

  beforeEach(() => {
    now = localInstant(Date.UTC(2026, 10, 21, 12));
  });
  const challenge = (of: string) => ({ kind: 'challenge', of }) as const;

  test('a challenge of one server is answered at another, once', async () => {
    const [one, other] = (await make(() => now)).map((kept) => new Challenges(kept)) as [Challenges, Challenges];
    const made = await one.make('confirm', 'session 7', '192.0.2.7');
    const what = { purpose: 'confirm', owner: 'session 7' } as const;
    const taken = await Promise.all([other.take(made, what), one.take(made, what)]);
    expect(taken.toSorted()).toEqual([false, true]);
  });

  test('a server whose clock is seconds behind reads what another has just kept', async () => {
    const [one] = await make(() => now);
    const behind = new RedisShortLived({ connection: connections[1], now: () => addMs(now, -5000), log });
    await one.keep(challenge('a'), 'x');
    expect(await behind.read(challenge('a'))).toBe('x');
  });

  test('all keys expire, hold no name, and are bounded; the first give way', async () => {
    const [one] = await make(() => now, 5);
    for (let index = 0; index < 8; index++) {
      now = addMs(now, 1);
      await one.keep(challenge(`name ${index}`), '', `sender ${index % 2}`);
    }
    const keys = (await server.admin('KEYS', '*')) as string[];
    expect(keys).toHaveLength(5 + 1 + 2);
    expect(keys.join()).not.toMatch(/name|sender/);
    for (const key of keys) expect(Number(await server.admin('PTTL', key))).toBeGreaterThan(0);
    expect(await one.read(challenge('name 2'))).toBeUndefined();
    expect(await one.read(challenge('name 3'))).toBe('');
  });

  test.each([
    ['text', ['SET', 'x']],
    ['a time alone', ['SET', '1795000000000']],
    ['another kind of key', ['LPUSH', 'x']],
  ])('what cannot be read opens nothing, and is no hindrance: %s', async (_, [command = '', value = '']) => {
    const [one] = await make(() => now);
    await one.keep(challenge('a'), 'x');
    const key = ((await server.admin('KEYS', '*')) as string[]).find((each) => each.length > 60) ?? '';
    await server.admin('DEL', key);
    await server.admin(command, key, value);
    expect(await one.read(challenge('a'))).toBeUndefined();
    expect(await one.take(challenge('a'))).toBeUndefined();
    await one.keep(challenge('a'), 'y');
    expect(await one.take(challenge('a'))).toBe('y');
  });

  test('without the store nothing is made, and nothing counts as answered', async () => {
    const challenges = new Challenges((await make(() => now))[0]);
    const made = await challenges.make('sign-in', 'a', '192.0.2.7');
    server.pause();
    const refused = { code: 'shared_store_failed' };
    await expect(challenges.take(made, { purpose: 'sign-in', owner: 'a' })).rejects.toMatchObject(refused);
    await expect(challenges.make('sign-in', 'a', '192.0.2.7')).rejects.toMatchObject(refused);
    server.resume();
    await becomes(connections[0], 'reachable');
  });
});
