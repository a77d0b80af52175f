import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { PlaceInLine } from '../../ports/load-lines.ts';
import { atPlace, declareLoadLinesSuite, unnamedLoad } from '../../ports/load-lines-suite.fixture.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import { LOAD_LIFE_MS } from './load-line-store.ts';
import { RedisLoadLines } from './redis-load-lines.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const never = new AbortController().signal;

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection, RedisConnection];
  let servers: [RedisLoadLines, RedisLoadLines, RedisLoadLines];
  let now = NOW;
  const linesOf = (connection: RedisConnection) => new RedisLoadLines({ connection, now: () => now, beatEveryMs: 0 });
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    now = NOW;
    await server.admin('FLUSHALL');
    const connect = () => connectTo(server.target, { timeoutMs: 500 });
    connections = [await connect(), await connect(), await connect()];
    servers = connections.map(linesOf) as typeof servers;
  });
  afterEach(() => {
    for (const connection of connections) connection.close();
  });

  const enter = async (lines: RedisLoadLines, operator = 'alice') => {
    now = addMs(now, 1);
    const load = lines.enter(operator, unnamedLoad(), never);
    await load.entered;
    return load;
  };
  const places = (loads: readonly PlaceInLine[]) => loads.map(({ place }) => place);

  declareLoadLinesSuite('RedisLoadLines', async () => {
    const linesOf = (connection: RedisConnection) =>
      new RedisLoadLines({ connection, now: () => (now = addMs(now, 1)), beatEveryMs: 0 });
    return [linesOf(connections[0]), linesOf(connections[1])];
  });

  test('three loads of one operator at three servers: two run, and one is first in line until one of them has ended', async () => {
    const loads = [await enter(servers[0]), await enter(servers[1]), await enter(servers[2])] as const;
    expect(places(loads)).toEqual([undefined, undefined, 1]);
    expect(servers.map((lines) => lines.loads)).toEqual([
      { running: 1, waiting: 0 },
      { running: 1, waiting: 0 },
      { running: 0, waiting: 1 },
    ]);
    loads[0].leave();
    await atPlace(loads[2], undefined);
  });

  test('many that come at once at all servers: no more than two ever run', async () => {
    const loads = Array.from({ length: 30 }, (_, index) =>
      (servers[index % 3] as RedisLoadLines).enter('alice', unnamedLoad(), never),
    );
    await Promise.all(loads.map(({ entered }) => entered));
    const waiting = new Set(loads);
    for (let left = loads.length; left > 0; left--) {
      await Promise.all(servers.map((lines) => lines.beat()));
      const running = [...waiting].filter(({ place }) => place === undefined);
      expect(running).toHaveLength(Math.min(2, left));
      expect(new Set([...waiting].flatMap(({ place }) => place ?? [])).size).toBe(Math.max(0, left - 2));
      waiting.delete(running[0] as PlaceInLine);
      running[0]?.leave();
    }
    expect(
      await server.admin('HLEN', ((await server.admin('KEYS', '*:loads:line:*')) as string[])[0] ?? 'none'),
    ).toBeLessThan(2);
  });

  test('loads of a server that is gone leave the line after some seconds; those that give signs of life stay', async () => {
    const gone = [await enter(servers[0]), await enter(servers[0])];
    const [one, other] = [await enter(servers[1]), await enter(servers[2])];
    expect(places([...gone, one, other])).toEqual([undefined, undefined, 1, 2]);
    connections[0].close();
    now = addMs(now, LOAD_LIFE_MS - 1000);
    await servers[1].beat();
    expect(places([one, other])).toEqual([1, 2]);
    now = addMs(now, 1000);
    await servers[2].beat();
    await Promise.all([atPlace(one, undefined), atPlace(other, undefined)]);
  });

  test('a server that stood still goes on with what it runs; nothing more begins until there is room', async () => {
    const [connection] = connections;
    // Nothing is heard while one stands still.
    const still = new RedisLoadLines({
      connection: { run: (...args) => connection.run(...args), subscribe: () => undefined },
      now: () => now,
      beatEveryMs: 0,
    });
    const stood = await enter(still);
    now = addMs(now, LOAD_LIFE_MS + 1);
    const running = [await enter(servers[1]), await enter(servers[1])];
    await still.beat();
    const next = await enter(servers[2]);
    expect(places([stood, ...running, next])).toEqual([undefined, undefined, undefined, 1]);
    stood.leave();
    await still.beat();
    await servers[2].beat();
    expect(next.place).toBe(1);
    running[0]?.leave();
    await atPlace(next, undefined);
  });

  test('a flush changes nobody’s place', async () => {
    const loads = [];
    for (let load = 0; load < 6; load++) loads.push(await enter(servers[load % 3] as RedisLoadLines));
    await server.admin('FLUSHALL');
    for (const lines of servers.toReversed()) await lines.beat();
    for (const lines of servers) await lines.beat();
    expect(places(loads)).toEqual([undefined, undefined, 1, 2, 3, 4]);
  });

  test('without the store each server goes on with its own, two at a time; with it the line goes on', async () => {
    const far = [await enter(servers[1]), await enter(servers[1])];
    const near = [await enter(servers[0]), await enter(servers[0]), await enter(servers[0])];
    expect(places(near)).toEqual([1, 2, 3]);
    server.pause();
    await servers[0].beat();
    expect(places(near)).toEqual([undefined, undefined, 1]);
    expect(await servers[0].seek('alice', 'unknown', upstreamInstant(0))).toBe(false);
    server.resume();
    await Promise.all(connections.map((connection) => becomes(connection, 'reachable')));
    await servers[0].beat();
    for (const load of [...far, near[0] as PlaceInLine]) load.leave();
    await atPlace(near[2] as PlaceInLine, undefined);
  });

  test('what is no line is not one; a line that nobody gives a sign of is forgotten', async () => {
    await enter(servers[0]);
    const [key] = (await server.admin('KEYS', '*:loads:line:*')) as [string];
    expect(Number(await server.admin('PTTL', key))).toBeGreaterThan(LOAD_LIFE_MS);
    await server.admin('SET', key, 'nonsense');
    expect(await servers[1].seek('alice', 'one', upstreamInstant(0))).toBe(false);
    expect((await enter(servers[1])).place).toBeUndefined();
    await server.admin('HSET', key, 'nobody', 'nonsense');
    await servers[0].beat();
    expect((await enter(servers[1])).place).toBe(1);
  });
});
