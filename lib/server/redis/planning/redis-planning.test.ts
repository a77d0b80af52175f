import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs, localInstant } from '#lib/time/instant.ts';
import type { Lease } from '../../ports/lease.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { RedisLeases } from '../redis-leases.ts';
import { connectTo, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import { RedisDemands } from './redis-demands.ts';
import { RedisPlan } from './redis-plan.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const TTL_MS = 3000;

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let here: RedisConnection;
  let there: RedisConnection;
  const warnings: unknown[] = [];
  const log = { warn: (warning: unknown) => void warnings.push(warning) };
  beforeAll(async () => {
    server = await startRedis();
    here = await connectTo(server.target, { timeoutMs: 2000 });
    there = await connectTo(server.target, { timeoutMs: 2000 });
  });
  afterAll(async () => {
    for (const connection of [here, there]) connection.close();
    await server.remove();
  });
  beforeEach(async () => {
    await server.admin('FLUSHALL');
    warnings.length = 0;
  });

  async function seat(connection: RedisConnection, now = NOW): Promise<Lease> {
    const lease = await new RedisLeases(connection).acquire('planner', TTL_MS, now);
    if (!lease) throw new Error('somebody else has it');
    return lease;
  }
  const everyKeyExpires = async () => {
    for (const key of (await server.admin('KEYS', '*')) as string[])
      expect(Number(await server.admin('PTTL', key)), key).toBeGreaterThan(0);
  };

  describe('RedisPlan', () => {
    test('what is told is heard by all, and kept for who was not there', async () => {
      const heard: string[] = [];
      const other = new RedisPlan(there, log);
      other.onPublished((text) => void heard.push(text));
      const plan = new RedisPlan(here, log);
      expect(await other.read()).toBeUndefined();
      const lease = await seat(here);
      // Who has just said that it listens is heard of by the server a moment later.
      await expect
        .poll(async () => (await server.admin('PUBSUB', 'NUMSUB', '{lookout:1}:plan:published')) as unknown[])
        .toContain(1);
      expect(await plan.publish(lease, 'the plan', 'the plan, published')).toBe('published');
      expect(await plan.publish(lease, undefined, 'no other')).toBe('published');
      await plan.say('free');
      await expect.poll(() => heard).toEqual(['the plan, published', 'no other', 'free']);
      expect(await other.read()).toBe('the plan');
      await everyKeyExpires();
    });

    test('one whose seat another one has writes nothing, whether that one has written or not', async () => {
      const [old, plan] = [await seat(here), new RedisPlan(here, log)];
      expect(await plan.publish(old, 'old', 'old')).toBe('published');
      const next = await seat(there, addMs(NOW, TTL_MS));
      expect(await plan.publish(old, 'late', 'late')).toBe('refused');
      expect(await plan.read()).toBe('old');
      expect(await new RedisPlan(there, log).publish(next, 'next', 'next')).toBe('published');
      expect(await plan.publish(old, 'late', 'late')).toBe('refused');
      expect(await plan.publish(old, undefined, 'late')).toBe('refused');
      expect(await plan.read()).toBe('next');
    });

    test('a plan that has not changed is told again as a whole where the store has lost it, or has another one’s', async () => {
      const [old, plan] = [await seat(here), new RedisPlan(here, log)];
      expect(await plan.publish(old, undefined, 'the same')).toBe('missing');
      await plan.publish(old, 'old', 'old');
      const next = await seat(there, addMs(NOW, TTL_MS));
      expect(await new RedisPlan(there, log).publish(next, undefined, 'the same')).toBe('missing');
    });

    test('what is no plan is set aside for a week', async () => {
      const plan = new RedisPlan(here, log);
      await server.admin('SET', '{lookout:1}:plan', 'something else');
      expect(await plan.read()).toBe('');
      await plan.setAside();
      expect(await plan.read()).toBeUndefined();
      expect(warnings).toHaveLength(1);
      const [aside] = (await server.admin('KEYS', '*unreadable*')) as string[];
      expect(await server.admin('GET', aside as string)).toBe('something else');
      await everyKeyExpires();
      await plan.setAside();
      expect(await plan.publish(await seat(here), 'new', 'new')).toBe('published');
    });
  });

  describe('RedisDemands', () => {
    test('each is read once, and again when it has changed or everything is read anew', async () => {
      const [one, other] = [new RedisDemands(here), new RedisDemands(there)];
      expect(await other.changes()).toEqual([]);
      await one.keep('a', '1', 'first');
      expect(await other.changes()).toEqual([{ replica: 'a', text: 'first' }]);
      expect(await other.changes()).toEqual([]);
      await one.keep('a', '2', 'second');
      await one.keep('b', '1', 'another');
      expect(await other.changes()).toEqual([
        { replica: 'a', text: 'second' },
        { replica: 'b', text: 'another' },
      ]);
      other.forgetRead();
      expect(await other.changes()).toHaveLength(2);
      await everyKeyExpires();
      await other.forget(['a']);
      other.forgetRead();
      expect(await other.changes()).toEqual([{ replica: 'b', text: 'another' }]);
    });

    test('what is told is heard, and not kept', async () => {
      const heard: string[] = [];
      const [one, other] = [new RedisDemands(here), new RedisDemands(there)];
      other.onPublished((text) => void heard.push(text));
      await expect
        .poll(async () => (await server.admin('PUBSUB', 'NUMSUB', '{lookout:1}:demand:published')) as unknown[])
        .toContain(1);
      await one.publish('a new place');
      await expect.poll(() => heard).toEqual(['a new place']);
      expect(await other.changes()).toEqual([]);
    });
  });
});
