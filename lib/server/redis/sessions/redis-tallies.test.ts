import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { declareTalliesSuite, TALLIES_KEPT } from '../../ports/tallies-suite.fixture.ts';
import { SignInThrottle } from '../../session/sign-in-throttle.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import { RedisTallies } from './redis-tallies.ts';

const START_MS = Date.UTC(2026, 10, 21, 12);
const attempt = (account: string, address = '192.0.2.1', browser?: string) => ({ account, address, browser });

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: RedisConnection[];
  let nowMs: number;
  let throttles: SignInThrottle[];
  let warnings: object[];
  beforeAll(async () => {
    server = await startRedis(['rdbcompression no']);
    connections = await Promise.all([0, 1, 2].map(() => connectTo(server.target, { timeoutMs: 2000 })));
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });
  const log = { warn: (entry: object) => warnings.push(entry) } as never;
  const talliesOf = (keptMax?: number) =>
    connections.map(
      (connection) => new RedisTallies({ connection, random: Math.random, log, ...(keptMax ? { keptMax } : {}) }),
    );

  declareTalliesSuite('RedisTallies', async () => {
    warnings = [];
    await server.admin('FLUSHALL');
    const [one, other] = talliesOf(TALLIES_KEPT) as [RedisTallies, RedisTallies];
    return [one, other];
  });

  beforeEach(async () => {
    warnings = [];
    await server.admin('FLUSHALL');
    nowMs = START_MS;
    throttles = talliesOf().map((tallies) => new SignInThrottle(tallies, () => localInstant(nowMs)));
  });
  /** Waits in seconds of attempts at the same time, by turns at each server. */
  const waits = async (attempts: readonly ReturnType<typeof attempt>[]) =>
    Promise.all(attempts.map(async (each, index) => (await throttles[index % 3]?.admit(each))?.waitS ?? Number.NaN));
  const admitted = (all: readonly number[]) => all.filter((each) => each === 0).length;

  test('five guesses of an account and twenty of an address are free in the fleet, not at each server', async () => {
    expect(admitted(await waits(Array.from({ length: 30 }, () => attempt('anna'))))).toBe(5);
    const spray = Array.from({ length: 40 }, (_, index) => attempt(`name ${index}`, '198.51.100.1'));
    expect(admitted(await waits(spray))).toBe(20);
    const network = Array.from({ length: 40 }, (_, index) => attempt(`name ${index}`, `2001:db8:0:7::${index}`));
    expect(admitted(await waits(network))).toBe(20);
    expect(admitted(await waits(Array.from({ length: 30 }, () => attempt('bela', '192.0.2.9', 'stolen'))))).toBe(5);
    expect(await waits([attempt('anna', '203.0.113.9')]), 'and the operator is let in elsewhere').toEqual([0]);
  });

  test('delays double in the fleet, and a success anywhere takes back what it counted', async () => {
    for (let made = 0; made < 5; made++) expect(await waits([attempt('anna')])).toEqual([0]);
    for (const delayS of [1, 2, 4, 8]) {
      for (const each of throttles) expect((await each.admit(attempt('anna'))).waitS).toBe(delayS);
      nowMs += delayS * SECOND_MS;
      expect((await throttles[delayS % 3]?.admit(attempt('anna')))?.waitS).toBe(0);
    }
    const other = attempt('anna', '203.0.113.9');
    for (let times = 0; times < 9; times++) {
      expect((await throttles[times % 3]?.admit(other))?.waitS).toBe(0);
      await throttles[(times + 1) % 3]?.succeeded(other);
    }
  });

  test('without the store nobody is admitted, and that is said; with it all goes on', async () => {
    server.pause();
    const refused = { code: 'shared_store_failed', retryAfterS: 5 };
    await expect(throttles[0]?.admit(attempt('anna'))).rejects.toMatchObject(refused);
    await expect(throttles[0]?.succeeded(attempt('anna'))).rejects.toMatchObject(refused);
    server.resume();
    await Promise.all(connections.map((each) => becomes(each, 'reachable')));
    expect(await waits([attempt('anna')])).toEqual([0]);
  });

  test('names are not in the store, and what is there expires', async () => {
    await waits([attempt('a password typed as a name')]);
    const keys = (await server.admin('KEYS', '*')) as string[];
    expect(keys).toHaveLength(6);
    for (const key of keys) {
      expect(String(await server.admin('DUMP', key))).not.toContain('password');
      expect(Number(await server.admin('PTTL', key))).toBeGreaterThan(0);
    }
  });

  test('a tally that cannot be read begins anew, and another kind of key is set aside', async () => {
    await waits([attempt('anna')]);
    const [field = ''] = (await server.admin('HKEYS', '{lookout:1}:throttle:account')) as string[];
    await server.admin('HSET', '{lookout:1}:throttle:account', field, '-5 x');
    expect(await waits([attempt('anna')])).toEqual([0]);
    expect(await server.admin('HGET', '{lookout:1}:throttle:account', field)).toMatch(/^1 /);
    await server.admin('SET', '{lookout:1}:throttle:address', 'x');
    await server.admin('DEL', '{lookout:1}:throttle:account:ends');
    await server.admin('SET', '{lookout:1}:throttle:account:ends', 'x');
    expect(await waits([attempt('anna')])).toEqual([0]);
    expect(await server.admin('HGET', '{lookout:1}:throttle:account', field), 'the others go on').toMatch(/^2 /);
    expect(warnings).toHaveLength(3);
    expect(await server.admin('KEYS', '{lookout:1}:unreadable:*')).toHaveLength(2);
  });
});
