import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';
import { AreaReads } from '../ports/area-reads.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { RedisLeases } from './redis-leases.ts';
import { RedisLedger } from './redis-ledger.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';
import { RedisSnapshots } from './redis-snapshots.ts';

const START_MS = Date.UTC(2026, 10, 21, 12, 0, 10);

describe.skipIf(!hasRedis())('two live engines over one Redis', () => {
  let server: RedisServer;
  let connections: RedisConnection[];
  let ledgers: RedisLedger[];
  let first: LiveHarness;
  let second: LiveHarness;
  let nowMs: number;
  beforeAll(async () => {
    server = await startRedis();
    connections = await Promise.all([0, 1].map(() => connectTo(server.target, { timeoutMs: 2000 })));
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });

  function storesOf(connection: RedisConnection) {
    const now = () => localInstant(nowMs);
    const log = { warn: () => undefined };
    const upstream = { now: () => upstreamInstant(nowMs), random: Math.random };
    const ledger = new RedisLedger({ connection, account: 'live', log, ...upstream, beatEveryMs: 0, quietMs: 0 });
    ledgers.push(ledger);
    const reads = new AreaReads();
    const snapshots = new RedisSnapshots({ connection, reads, now, log, checkEveryMs: 0 });
    return { ledger, leases: new RedisLeases(connection), snapshots, reads };
  }

  beforeEach(async () => {
    await server.admin('FLUSHALL');
    nowMs = START_MS;
    ledgers = [];
    const [one, other] = connections as [RedisConnection, RedisConnection];
    const now = () => upstreamInstant(nowMs);
    first = await startLiveHarness({ startMs: START_MS, now, stores: storesOf(one) });
    second = await startLiveHarness({ startMs: START_MS, service: first.service, stores: storesOf(other) });
  });
  afterEach(async () => {
    for (const ledger of ledgers) await ledger.close();
    await second.close();
    await first.close();
  });

  const pass = (ms: number) => {
    nowMs += ms;
    for (const each of [first, second]) each.moveClock(ms);
  };
  const adsb = async (harness: LiveHarness) => (await harness.read(undefined, ['adsb'])).layers.adsb;

  test('what both look at is asked once, and both have it', async () => {
    await Promise.all([adsb(first), adsb(second)]);
    expect(first.countOf('live_adsb')).toBe(1);
    const [one, other] = [await adsb(first), await adsb(second)];
    expect(one).toMatchObject({ state: 'fresh', partial: false });
    expect(one?.records).toHaveLength(3);
    expect(other).toEqual(one);
  });

  test('each has the trails of what either has read', async () => {
    for (let round = 0; round < 8; round++) {
      // Now one is the first to read, now the other, and now and then one looks at nothing for a while.
      for (const each of round % 2 === 0 ? [first, second] : [second, first]) if (round !== 4) await adsb(each);
      pass(6 * SECOND_MS);
    }
    await Promise.all([adsb(first), adsb(second)]);
    const query = { bbox: { west: 8, south: 47, east: 9, north: 48 }, layers: ['adsb'] as const };
    const [one, other] = await Promise.all([first, second].map(({ trails }) => trails.readJson(query)));
    expect(one?.layers.adsb).toMatchObject({ since: '2026-11-21T12:00:10.000Z', tracks: 3, positions: 24 });
    expect(other?.layers.adsb).toEqual(one?.layers.adsb);
  });

  test('a server that has just started has the trails from the latest snapshot on, and says so', async () => {
    for (let round = 0; round < 3; round++) {
      await adsb(first);
      pass(6 * SECOND_MS);
    }
    const query = { bbox: { west: 8, south: 47, east: 9, north: 48 }, layers: ['adsb'] as const };
    const late = await startLiveHarness({
      startMs: nowMs,
      service: first.service,
      stores: storesOf(connections[1] as RedisConnection),
    });
    try {
      expect((await late.trails.readJson(query)).layers.adsb).toMatchObject({ since: null, tracks: 0 });
      await late.snapshots.intersecting('adsb', query.bbox);
      const { adsb } = (await late.trails.readJson(query)).layers;
      expect(adsb).toMatchObject({ since: '2026-11-21T12:00:22.000Z', tracks: 3, positions: 3 });
      expect((await first.trails.readJson(query)).layers.adsb).toMatchObject({
        since: '2026-11-21T12:00:10.000Z',
        positions: 9,
      });
    } finally {
      await late.close();
    }
  });

  test('without the store nothing is asked and the picture ages; with it all goes on', async () => {
    const before = await adsb(first);
    const asked = first.countOf('live_adsb');
    server.pause();
    pass(40 * SECOND_MS);
    const aged = await adsb(first);
    expect(first.countOf('live_adsb')).toBe(asked);
    expect(aged).toMatchObject({ fetched_at: before?.fetched_at, reason: 'shared_store_failed' });
    expect(aged?.records).toHaveLength(3);
    server.resume();
    await Promise.all(connections.map((each) => becomes(each, 'reachable')));
    pass(6 * SECOND_MS);
    expect(await adsb(first)).toMatchObject({ state: 'fresh', fetched_at: '2026-11-21T12:00:56.000Z' });
    expect(first.countOf('live_adsb')).toBe(asked + 1);
  });
});
