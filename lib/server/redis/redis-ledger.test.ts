import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Attempt, Reservation } from '../ports/ledger.ts';
import { declareLedgerSuite } from '../ports/ledger-suite.fixture.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { FaultyConnection } from './model-fleet.fixture.ts';
import { RedisLedger } from './redis-ledger.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';

const NOON = upstreamInstant(Date.UTC(2026, 10, 21, 12, 0, 20));

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let now: UpstreamInstant;
  let warnings: object[];
  let made: RedisLedger[] = [];

  beforeAll(async () => {
    server = await startRedis();
    connections = [
      await connectTo(server.target, { timeoutMs: 2000 }),
      await connectTo(server.target, { timeoutMs: 2000 }),
    ];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });
  beforeEach(async () => {
    now = NOON;
    warnings = [];
    await server.admin('FLUSHALL');
  });

  afterEach(async () => {
    for (const ledger of made) await ledger.close();
    made = [];
  });

  function newLedger(connection: RedisConnection | FaultyConnection, quietMs = 0): RedisLedger {
    const log = { warn: (entry: object) => warnings.push(entry) } as never;
    const ledger = new RedisLedger({
      connection,
      account: 'test',
      now: () => now,
      random: Math.random,
      log,
      beatEveryMs: 0,
      quietMs,
    });
    made.push(ledger);
    return ledger;
  }

  const newLedgers = (quietMs?: number) =>
    connections.map((each) => newLedger(each, quietMs)) as [RedisLedger, RedisLedger];

  declareLedgerSuite('RedisLedger', async () => {
    await server.admin('FLUSHALL');
    return newLedgers();
  });

  async function granted(ledger: RedisLedger, requests: number): Promise<Reservation> {
    const reserved = await ledger.reserve(requests, 'first-view', now);
    if (reserved.kind === 'refused') throw new Error(`refused: ${reserved.why}`);
    return reserved.reservation;
  }

  /** Probes: 100 are left of the minute, 1000 of the day. */
  async function learnt(ledger: RedisLedger, minute = 100): Promise<void> {
    const probe = await granted(ledger, 1);
    await ledger.attempted(probe, answered(minute, 1000, now));
    await ledger.release(probe);
  }

  const why = async (ledger: RedisLedger) => {
    const reserved = await ledger.reserve(1, 'first-view', now);
    return reserved.kind === 'refused' ? reserved.why : reserved.kind;
  };

  async function standStill(): Promise<void> {
    server.pause();
    await Promise.all(connections.map((each) => each.send(['PING']).catch(() => undefined)));
  }

  async function goOn(): Promise<void> {
    server.resume();
    await Promise.all(connections.map((each) => becomes(each, 'reachable')));
  }

  describe('while the store does not answer', () => {
    test('nothing is granted; what was attempted and demanded meanwhile counts when it is back, once', async () => {
      const [ledger, other] = newLedgers();
      await learnt(ledger);
      const reservation = await granted(ledger, 3);
      expect((await other.state(now)).minute).toMatchObject({ remaining: 100, reserved: 3 });
      await standStill();
      expect((await other.state(now)).minute, 'as it was last seen').toMatchObject({ remaining: 100, reserved: 3 });
      await ledger.attempted(reservation, answered(40, 900, now));
      await ledger.attempted(reservation, answered(39, 899, now));
      await ledger.pauseUntil(addMs(NOON, SECOND_MS), 'allowance_used_up');
      expect(await why(ledger)).toBe('shared-store');
      expect((await ledger.state(now)).minute, 'as it was last seen').toMatchObject({ remaining: 100, reserved: 3 });
      await goOn();
      await ledger.beat();
      expect(await why(other)).toBe('paused');
      expect(await other.state(now)).toMatchObject({ minute: { remaining: 39, reserved: 1 }, spentToday: 3 });
      await ledger.beat();
      expect(await other.state(now)).toMatchObject({ minute: { remaining: 39, reserved: 1 }, spentToday: 3 });
    });

    test('a reservation whose answer was lost is not granted, and given back', async () => {
      const [, other] = newLedgers();
      const { state } = connections[0];
      const faulty = new FaultyConnection(connections[0], state.kind === 'reachable' ? state.server : '');
      const ledger = newLedger(faulty);
      await learnt(ledger);
      faulty.faults.push('unanswered');
      expect(await why(ledger)).toBe('shared-store');
      expect((await other.state(now)).minute, 'it was carried out').toMatchObject({ remaining: 100, reserved: 1 });
      await ledger.beat();
      expect((await other.state(now)).minute).toMatchObject({ remaining: 100, reserved: 0 });
    });

    test('a full store grants nothing, and takes what was attempted when it has room', async () => {
      const [ledger, other] = newLedgers();
      await learnt(ledger);
      const reservation = await granted(ledger, 1);
      await server.admin('CONFIG', 'SET', 'maxmemory', '1');
      await ledger.attempted(reservation, answered(20, 900, now));
      expect(await why(other)).toBe('shared-store');
      await server.admin('CONFIG', 'SET', 'maxmemory', '0');
      await ledger.release(reservation);
      expect((await other.state(now)).minute).toMatchObject({ remaining: 20, reserved: 0 });
    });
  });

  describe('a replica that is gone', () => {
    test('leaves its reservations reserved in every window, until they are too old to be sent', async () => {
      const [gone, ledger] = newLedgers();
      await learnt(gone);
      await granted(gone, 7);
      for (const minutes of [0, 1, 9]) {
        now = addMs(NOON, minutes * MINUTE_MS);
        expect((await ledger.state(now)).minute.reserved).toBe(7);
        await learnt(ledger, 101 + minutes);
      }
      now = addMs(NOON, 11 * MINUTE_MS);
      await learnt(ledger, 120);
      expect(await ledger.state(now)).toMatchObject({ minute: { reserved: 0 }, spentToday: 1 + 4 + 7 });
    });

    test('does not keep the others waiting for its probe', async () => {
      const [gone, ledger] = newLedgers();
      await granted(gone, 1);
      expect(await why(ledger)).toBe('probing');
      now = addMs(NOON, 6 * SECOND_MS);
      expect(await why(ledger)).toBe('granted');
      expect(await why(ledger)).toBe('probing');
    });

    test('and one that only stood still tells what became of its requests', async () => {
      const [still, ledger] = newLedgers();
      await learnt(still);
      const reservation = await granted(still, 2);
      now = addMs(NOON, 40 * SECOND_MS);
      await learnt(ledger, 101);
      await still.attempted(reservation, answered(5, 5, NOON));
      await still.release(reservation);
      expect(await ledger.state(now), 'its number is of long ago').toMatchObject({
        minute: { remaining: 100, reserved: 0 },
        day: { remaining: 998 },
      });
    });
  });

  describe('a ledger that was lost', () => {
    test('begins again with one probe of all replicas, and keeps what limits', async () => {
      const [ledger, other] = newLedgers(5 * SECOND_MS);
      await learnt(ledger);
      now = addMs(now, 6 * SECOND_MS);
      const open = await granted(other, 4);
      await ledger.reserve(2, 'history', now, { operator: 'ann', mayOthersCome: false, livePerS: 0 });
      await server.admin('FLUSHALL');
      const probe = await granted(ledger, 9);
      expect(probe.requests).toBe(1);
      expect(await why(other)).toBe('probing');
      await ledger.attempted(probe, answered(50, 500, now));
      expect(await why(ledger), 'others have not reported yet what they have under way').toBe('probing');
      await other.beat();
      now = addMs(now, 5 * SECOND_MS);
      expect(await other.state(now)).toMatchObject({ minute: { remaining: 50, reserved: 6 }, spentToday: 2 });
      await other.attempted(open, answered(49, 499, now));
      expect(await why(ledger)).toBe('granted');
    });

    test('is not taken for the same when the server has another run, whatever it has kept', async () => {
      const kept = await startRedis(['appendonly yes', 'appendfsync always']);
      const connection = await connectTo(kept.target, { timeoutMs: 2000 });
      try {
        const ledger = newLedger(connection);
        await learnt(ledger);
        expect((await granted(ledger, 5)).requests).toBe(5);
        await kept.kill();
        // It comes back by itself, perhaps before the start is over.
        await becomes(connection, 'lost');
        await kept.start();
        await becomes(connection, 'reachable');
        expect(await kept.admin('EXISTS', '{lookout:1}:ledger:test'), 'it was kept').toBe(1);
        expect((await ledger.state(now)).minute).toMatchObject({ remaining: undefined, reserved: 5 });
        expect((await granted(ledger, 5)).requests, 'a probe').toBe(1);
      } finally {
        connection.close();
        await kept.remove();
      }
    });

    test('is not trusted when it went back to what it was before', async () => {
      const [ledger, other] = newLedgers();
      await learnt(ledger);
      const [key] = (await server.admin('KEYS', '*')) as [string];
      await server.admin('COPY', key, '{lookout:1}:before');
      await granted(ledger, 50);
      await server.admin('COPY', '{lookout:1}:before', key, 'REPLACE');
      expect((await granted(ledger, 9)).requests).toBe(1);
      expect(await why(other)).toBe('probing');
    });

    test.each([
      ['not what we wrote', ['HSET', 'stamp', 'x', 'text', '{"epoch":1}']],
      ['of another kind', ['SET', 'text']],
    ])('is set aside where it is %s', async (_, [command = '', ...rest]) => {
      const [ledger] = newLedgers();
      await server.admin(command, '{lookout:1}:ledger:test', ...rest);
      await learnt(ledger);
      expect((await ledger.state(now)).minute.remaining).toBe(100);
      const aside = (await server.admin('KEYS', '{lookout:1}:unreadable:*')) as string[];
      expect(aside).toHaveLength(1);
      expect(warnings).toMatchObject([{ set_aside_as: aside[0] }]);
      expect(Number(await server.admin('TTL', aside[0] as string))).toBeGreaterThan(6 * 86_400);
    });
  });
});

function answered(minuteRemaining: number, dayRemaining: number, at: UpstreamInstant): Attempt {
  return { counted: true, minuteRemaining, dayRemaining, sentAt: at, receivedAt: at };
}
