import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyPositions } from '#lib/codec/arbitrary-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, type LocalInstant, localInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { AreaRecords } from '../ports/snapshots.ts';
import { declareSnapshotsSuite } from '../ports/snapshots-suite.fixture.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { RedisLeases } from './redis-leases.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';
import { RedisSnapshots } from './redis-snapshots.ts';

const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const ALPS = { west: 5, south: 44, east: 15, north: 48 };
const AREA = { key: 'adsb:alps', layer: 'adsb', bbox: ALPS } as const;

function records(fetchedAt: UpstreamInstant, positions: readonly Position[] = []): AreaRecords {
  const byRef = new Map(positions.map((each) => [each.ref, each]));
  return { area: AREA, positions: byRef, fetchedAt, incomplete: undefined, unreadable: 0 };
}

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let snapshots: RedisSnapshots;
  let other: RedisSnapshots;
  let warnings: string[];
  let local: LocalInstant;
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connectTo(server.target, { timeoutMs: 2000 }), await connectTo(server.target)];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });

  function newSnapshots(connection: RedisConnection, checkEveryMs = 0): RedisSnapshots {
    const log = { warn: (_: object, text: string) => warnings.push(text) } as never;
    return new RedisSnapshots({ connection, now: () => local, log, checkEveryMs });
  }

  beforeEach(async () => {
    await server.admin('FLUSHALL');
    warnings = [];
    local = localInstant(0);
    snapshots = newSnapshots(connections[0]);
    other = newSnapshots(connections[1]);
  });

  declareSnapshotsSuite('RedisSnapshots', async () => {
    await server.admin('FLUSHALL');
    return [newSnapshots(connections[0]), newSnapshots(connections[1])];
  });

  const read = async (from: RedisSnapshots) => (await from.intersecting('adsb', ALPS))[0];

  test('whoever wrote it, every server reads the same records', async () => {
    let fence = 0;
    await fc.assert(
      fc.asyncProperty(anyPositions, async (positions) => {
        const put = await snapshots.put(records(addMs(NOW, ++fence), positions), { name: 'area', fence });
        expect(await read(other)).toEqual(put);
        expect(await read(snapshots)).toEqual(put);
        expect([...(put?.positions.keys() ?? [])].sort()).toEqual([...new Set(positions.map(({ ref }) => ref))].sort());
      }),
      { numRuns: 40 },
    );
  });

  test('a server that stood still after its lease was given to another one can write nothing', async () => {
    const [leases, others] = connections.map((each) => new RedisLeases(each)) as [RedisLeases, RedisLeases];
    const at = localInstant(Date.UTC(2026, 10, 21, 12));
    const late = await leases.acquire(AREA.key, 60_000, at);
    const next = await others.acquire(AREA.key, 60_000, addMs(at, 60_000));
    if (!late || !next) throw new Error('no lease');
    expect(await snapshots.put(records(NOW), late), 'before the other has written').toBeUndefined();
    expect((await other.put(records(NOW), next))?.sequence).toBe(1);
  });

  test('many readers ask the store once, and nothing for a while', async () => {
    await other.put(records(NOW), { name: 'area', fence: 1 });
    const reader = newSnapshots(connections[0], 200);
    const before = connections[0].counts.commands;
    await Promise.all(Array.from({ length: 100 }, () => read(reader)));
    expect(connections[0].counts.commands - before, 'what changed, and its body').toBe(2);
    local = addMs(local, 199);
    await read(reader);
    expect(connections[0].counts.commands - before).toBe(2);
    local = addMs(local, 1);
    expect((await read(reader))?.sequence).toBe(1);
    expect(connections[0].counts.commands - before, 'nothing changed').toBe(3);
  });

  test('without the store what is held is read on, and nothing is said to be written', async () => {
    await snapshots.put(records(NOW), { name: 'area', fence: 1 });
    server.pause();
    expect(await read(snapshots)).toMatchObject({ sequence: 1, fetchedAt: NOW });
    await expect(snapshots.put(records(addMs(NOW, 1)), { name: 'area', fence: 2 })).rejects.toThrow();
    server.resume();
    await becomes(connections[0], 'reachable');
    expect(await read(snapshots)).toMatchObject({ fetchedAt: NOW });
  });

  test('a flush takes nothing from the picture, and no sequence comes again', async () => {
    for (let fence = 1; fence <= 3; fence++) await snapshots.put(records(addMs(NOW, fence)), { name: 'area', fence });
    expect(await read(other)).toMatchObject({ sequence: 3 });
    await server.admin('FLUSHALL');
    expect(await read(other), 'aged').toMatchObject({ sequence: 3, fetchedAt: addMs(NOW, 3) });
    expect((await other.put(records(addMs(NOW, 4)), { name: 'area', fence: 4 }))?.sequence).toBe(4);
    expect(await read(snapshots)).toMatchObject({ sequence: 4 });
  });

  test('what cannot be read is left out, and said', async () => {
    await snapshots.put(records(NOW), { name: 'area', fence: 1 });
    const [key] = (await server.admin('KEYS', '*body*')) as [string];
    await server.admin('SETRANGE', key, '30', 'garbage');
    expect(await read(other)).toBeUndefined();
    expect(warnings).toEqual(['a snapshot in the shared store cannot be read']);
    await snapshots.put(records(addMs(NOW, 1)), { name: 'area', fence: 1 });
    expect(await read(other)).toMatchObject({ sequence: 2 });
  });

  test('the store keeps nothing for ever', async () => {
    await snapshots.put(records(NOW), { name: 'area', fence: 1 });
    const keys = (await server.admin('KEYS', '*')) as string[];
    expect(keys).toHaveLength(4);
    for (const key of keys) expect(Number(await server.admin('PTTL', key)), key).toBeGreaterThan(0);
  });

  test('a reader that missed more than is remembered reads all anew', async () => {
    await snapshots.put(records(NOW), { name: 'area', fence: 1 });
    expect(await read(other)).toBeDefined();
    for (let area = 0; area < 1100; area++) {
      const key = `adsb:${area}`;
      const put = { ...records(addMs(NOW, -1)), area: { key, layer: 'adsb', bbox: ALPS } } as const;
      await snapshots.put(put, { name: key, fence: 1 });
    }
    await snapshots.forgetBefore(NOW, new Set());
    expect((await other.intersecting('adsb', ALPS)).map(({ area }) => area.key)).toEqual([AREA.key]);
    expect(await server.admin('ZCARD', ((await server.admin('KEYS', '*changes')) as string[])[0] ?? '')).toBe(0);
  });
});
