import { setImmediate as nextLoop } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { becomes, connectTo, hasRedis, newConnection, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import type { RedisConnection } from './redis-connection.ts';
import { RedisFailure } from './redis-failure.ts';
import { redisScript } from './redis-script.ts';

async function failure(work: Promise<unknown>): Promise<Pick<RedisFailure, 'problem' | 'isUnknown'>> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RedisFailure)) throw new Error(`no failure of the store: ${String(error)}`);
  return { problem: error.problem, isUnknown: error.isUnknown };
}

describe.skipIf(!hasRedis())('RedisConnection', () => {
  let server: RedisServer;
  let connection: RedisConnection;
  let lines: string[];
  const line = (_: object, text: string) => lines.push(text);
  const log = { info: line, warn: line, error: line } as never;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    lines = [];
    await server.admin('FLUSHALL');
    connection = await connectTo(server.target, { log, timeoutMs: 200 });
  });
  afterEach(() => connection.close());

  test('a server that stands still: the command fails in time and may have been done, the next ones fail at once', async () => {
    server.pause();
    expect(await failure(connection.send(['INCR', 'n']))).toEqual({ problem: 'slow', isUnknown: true });
    expect(connection.state).toMatchObject({ kind: 'lost', problem: 'slow' });
    expect(await failure(connection.send(['INCR', 'm']))).toEqual({ problem: 'slow', isUnknown: false });
    server.resume();
    await becomes(connection, 'reachable');
    expect(await connection.send(['MGET', 'n', 'm'])).toEqual(['1', null]);
    expect(connection.counts).toMatchObject({ commands: 3, failures: { slow: 2 } });
  });

  test('an answer that came while this process stood still is an answer', async () => {
    const answer = connection.send(['PING']);
    // It is written in the next turn.
    await nextLoop();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    expect(await answer).toBe('PONG');
    expect(connection.state.kind).toBe('reachable');
  });

  test('a server that is killed: nothing is sent again, and it is found again after its start', async () => {
    const run = connection.state.kind === 'reachable' ? connection.state.server : '';
    server.pause();
    const underWay = failure(connection.send(['INCR', 'n']));
    await server.kill();
    expect(await underWay).toEqual({ problem: 'lost', isUnknown: true });
    expect(await failure(connection.send(['INCR', 'n']))).toEqual({ problem: 'lost', isUnknown: false });
    await server.start();
    await becomes(connection, 'reachable');
    expect(await connection.send(['GET', 'n'])).toBeNull();
    expect(connection.state).toMatchObject({ kind: 'reachable' });
    expect(connection.state).not.toMatchObject({ server: run });
  });

  test('the database of another upstream’s Lookout is left alone, until that one is gone', async () => {
    const first = await connectTo(server.target, { upstream: 'a' });
    const same = await connectTo(server.target, { upstream: 'a' });
    const other = newConnection(server.target, { upstream: 'b', log });
    await expect.poll(() => other.state).toMatchObject({ kind: 'lost', problem: 'refused' });
    expect(await failure(other.send(['SET', 'n', '1']))).toEqual({ problem: 'refused', isUnknown: false });
    expect(JSON.stringify(other.state)).toContain('another upstream');
    expect(await first.send(['GET', 'n'])).toBe(null);
    await server.admin('DEL', '{lookout:1}:upstream');
    await becomes(other, 'reachable');
    await server.admin('CONFIG', 'SET', 'maxmemory', '1');
    const full = await connectTo(server.target, { upstream: 'b' });
    const refused = newConnection(server.target, { upstream: 'a' });
    await expect.poll(() => refused.state).toMatchObject({ kind: 'lost', problem: 'refused' });
    await server.admin('CONFIG', 'SET', 'maxmemory', '0');
    for (const each of [full, refused]) each.close();
    for (const each of [first, same, other]) each.close();
  });

  test('each connection has the person and the database of its own address', async () => {
    await server.admin('ACL', 'SETUSER', 'ops', 'on', '>of-ops', 'allcommands', 'allkeys', 'allchannels');
    const ops = await connectTo({ ...server.target, user: 'ops', password: { value: 'of-ops' }, database: 3 });
    expect(await ops.send(['ACL', 'WHOAMI'])).toBe('ops');
    expect(await connection.send(['ACL', 'WHOAMI'])).toBe('default');
    await ops.send(['SET', 'n', 'in 3']);
    expect(await connection.send(['GET', 'n'])).toBe(null);
    expect(await ops.send(['GET', 'n'])).toBe('in 3');
    ops.close();
  });

  test('what the log says is said once for each change', async () => {
    await server.kill();
    await becomes(connection, 'lost');
    for (let again = 0; again < 3; again++) await failure(connection.send(['GET', 'n']));
    await server.start();
    await becomes(connection, 'reachable');
    expect(lines).toEqual([
      'the shared store can be reached',
      'the shared store cannot be used',
      'the shared store can be reached',
    ]);
  });

  test('a script is known by its digest, and travels again after a flush of scripts', async () => {
    const script = redisScript('return redis.call("INCRBY", KEYS[1], ARGV[1])');
    expect(await connection.run(script, ['n'], ['2'])).toBe(2);
    await server.admin('SCRIPT', 'FLUSH');
    expect(await connection.run(script, ['n'], ['3'])).toBe(5);
    const error = connection.run(redisScript('return redis.call("INCR", KEYS[1], 1)'), ['n'], []);
    await expect(error, 'a mistake of ours is no failure of the store').rejects.not.toBeInstanceOf(RedisFailure);
    expect(await connection.send(['GET', 'n'])).toBe('5');
  });

  test('bytes come back as they were', async () => {
    const bytes = Buffer.from([0, 255, 128, 13, 10]);
    await connection.send(['SET', 'frame', bytes]);
    expect(await connection.send(['GET', 'frame'], true)).toEqual(bytes);
  });

  test('a full store, a script in one, and a replica', async () => {
    const write = redisScript('return redis.call("SET", KEYS[1], ARGV[1])');
    await connection.run(write, ['n'], ['1']);
    await server.admin('CONFIG', 'SET', 'maxmemory', '1');
    expect(await failure(connection.send(['SET', 'n', '2']))).toEqual({ problem: 'full', isUnknown: false });
    expect(await failure(connection.run(write, ['n'], ['2']))).toEqual({ problem: 'full', isUnknown: false });
    expect(await connection.send(['GET', 'n']), 'it can be read').toBe('1');
    await server.admin('CONFIG', 'SET', 'maxmemory', '0');
    await server.admin('REPLICAOF', '127.0.0.1', '1');
    expect(await failure(connection.send(['SET', 'n', '2']))).toEqual({ problem: 'read-only', isUnknown: false });
    expect(connection.state).toMatchObject({ kind: 'lost', problem: 'read-only' });
    await server.admin('REPLICAOF', 'NO', 'ONE');
    await becomes(connection, 'reachable');
  });

  test('messages are heard, and again after the connection was lost', async () => {
    const heard: string[] = [];
    const next = () => new Promise<void>((resolve) => (wake = resolve));
    let wake: () => void = () => undefined;
    connection.subscribe('news', (message) => {
      heard.push(message);
      wake();
    });
    let arrival = next();
    await connection.send(['PUBLISH', 'news', 'one']);
    await arrival;
    // It comes back by itself, perhaps before the administrator has the answer.
    const lost = becomes(connection, 'lost');
    await server.admin('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await lost;
    await becomes(connection, 'reachable');
    arrival = next();
    await connection.send(['PUBLISH', 'news', 'two']);
    await arrival;
    expect(heard).toEqual(['one', 'two']);
  });

  test('a wrong password is told without repeating it; the right one is read from its file at the next try', async () => {
    await server.admin('CONFIG', 'SET', 'requirepass', 'right-one');
    try {
      const written: object[] = [];
      const record = (entry: object, text: string) => written.push({ ...entry, text });
      const log = { info: record, warn: record, error: record } as never;
      const refused = newConnection({ ...server.target, password: { value: 'wrong-one' } }, { log });
      await new Promise<void>((resolve) => refused.onChange(() => resolve()));
      expect(refused.state).toMatchObject({ kind: 'lost', problem: 'refused' });
      refused.close();
      expect(JSON.stringify(written)).toContain('WRONGPASS');
      expect(JSON.stringify(written)).not.toContain('wrong-one');
      const welcome = await connectTo({ ...server.target, password: { value: 'right-one' } });
      expect(await welcome.send(['PING'])).toBe('PONG');
      welcome.close();
    } finally {
      await server.admin('AUTH', 'right-one');
      await server.admin('CONFIG', 'SET', 'requirepass', '');
    }
  });
});
