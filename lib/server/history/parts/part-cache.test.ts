import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { addMs, compareInstants, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { ONLY_SERVER } from '../../database/writer-lease.ts';
import { patientSupervisor } from '../../supervision/supervisor.fixture.ts';
import { type HistoryPart, packObservations, partKey } from './history-part.ts';
import { ENTRY_BYTES, PartCache } from './part-cache.ts';
import { StoredParts, type StoredPartsOptions } from './stored-parts.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 10));
const NO_MEMORY = { memoryBytes: 1 };
const ROW_BYTES = 400;
const EMPTY = await packObservations([]);

function part(fromMinute: number, toMinute: number, change: Partial<HistoryPart> = {}): HistoryPart {
  return {
    layer: 'adsb',
    bbox: { west: 8, south: 47, east: 9, north: 48 },
    window: { start: addMs(start, fromMinute * MINUTE_MS), end: addMs(start, toMinute * MINUTE_MS) },
    records: 3,
    truncated: false,
    unreadable: 0,
    body: EMPTY,
    ...change,
  };
}

const box = (fromMinute: number, toMinute: number) => ({ ...part(fromMinute, toMinute), layer: 'adsb' as const });

let clockMs = Date.UTC(2026, 10, 21, 12);
const stored = (database: Database, options: Partial<StoredPartsOptions> = {}) =>
  new StoredParts({
    database,
    account: 'one',
    lease: ONLY_SERVER,
    part: patientSupervisor().part('history'),
    wallNow: () => localInstant(clockMs),
    ...options,
  });

async function expectCompleteParts(cache: PartCache): Promise<void> {
  const around = part(10, 20, { bbox: { west: 7, south: 46, east: 10, north: 49 } });
  const touching = [part(5, 10), part(50, 60)];
  const beside = part(12, 14, { bbox: { west: 8, south: 47, east: 8.9, north: 48 } });
  for (const each of [around, part(45, 50), ...touching, beside]) await cache.put(each);
  await cache.put(part(20, 30, { truncated: true }));
  await cache.put(part(30, 40, { layer: 'rid' }));
  await cache.put(part(40, 44, { unreadable: 1 }));
  expectOver(cache, [around, part(45, 50)]);
}

function expectOver(cache: PartCache, parts: readonly HistoryPart[]): void {
  const found = cache
    .wholeOver('adsb', part(10, 50))
    .toSorted((a, b) => compareInstants(a.window.start, b.window.start));
  const head = ({ bbox, window, records }: HistoryPart) => ({ bbox, window, records });
  expect(found).toMatchObject(parts.map(head));
}

describe('in memory', () => {
  test('finds exactly the complete parts that overlap with a window and cover its area', async () => {
    await expectCompleteParts(new PartCache());
  });

  test('uses no more than its limit, which counts what parts take', async () => {
    const entryBytes = EMPTY.byteLength + ENTRY_BYTES;
    const cache = new PartCache(undefined, { memoryBytes: 3 * entryBytes });
    expect(cache.memoryBytes).toBe(0);
    await cache.put(part(0, 10));
    expect(cache.memoryBytes).toBe(entryBytes);
    for (let from = 10; from < 60; from += 10) await cache.put(part(from, from + 10));
    expect(cache.memoryBytes).toBe(3 * entryBytes);
    expect(cache.has('adsb', part(0, 10))).toBe(false);
    expect(cache.wholeOver('adsb', part(0, 60))).toHaveLength(3);
  });

  test('counts what parts take, also where their bodies are small', async () => {
    const cache = new PartCache(undefined, { memoryBytes: 1e9 });
    const parts = 20_000;
    const before = usedBytes();
    for (let at = 0; at < parts; at++)
      await cache.put(
        part(at, at + 0.5, { bbox: { west: at / 1e5, south: 1, east: 9, north: 2 }, body: new Uint8Array(100) }),
      );
    const taken = usedBytes() - before;
    expect(cache.memoryBytes).toBe(parts * (100 + ENTRY_BYTES));
    expect(taken / cache.memoryBytes).toBeGreaterThan(0.6);
    expect(taken / cache.memoryBytes).toBeLessThan(1.2);
  });

  test('keeps a part with unreadable records for a while, and makes nothing of it for other windows', async () => {
    const cache = new PartCache(undefined, { unreadableMs: 200 });
    await cache.put(part(0, 10, { unreadable: 1 }));
    expect(await cache.get('adsb', part(0, 10))).toMatchObject({ unreadable: 1 });
    expect(cache.wholeOver('adsb', part(0, 10))).toEqual([]);
    await expect.poll(() => cache.has('adsb', part(0, 10))).toBe(false);
  });
});

describeDatabases('cached parts', (databases) => {
  const { dialect, newTarget, open, testOnce } = databases;

  test('are found after a restart, and by another server, where they cover a box and overlap with its window', async () => {
    const target = newTarget();
    await expectCompleteParts(new PartCache(stored(await open(target)), NO_MEMORY));
    const other = new PartCache(stored(await open(target)));
    expectOver(other, []);
    await other.learn([box(10, 30), box(30, 50)]);
    const around = part(10, 20, { bbox: { west: 7, south: 46, east: 10, north: 49 } });
    expectOver(other, [around, part(45, 50)]);
    expect(await other.get('adsb', around)).toEqual(around);
    expect(await other.get('adsb', part(20, 30))).toMatchObject({ truncated: true });
    expect(await other.get('adsb', part(5, 10)), 'not learnt').toBeUndefined();
    expect(await other.find('adsb', part(5, 10))).toEqual(part(5, 10));
    expect(await other.find('adsb', part(40, 44)), 'unreadable ones are in memory alone').toBeUndefined();
  });

  testOnce('are read together', async () => {
    const database = await open();
    const parts = Array.from({ length: 60 }, (_, minute) => part(minute, minute + 1));
    const cache = new PartCache(stored(database));
    for (const each of parts) await cache.put(each);
    const other = new PartCache(stored(database));
    await other.learn([box(0, 60)]);
    const keys = parts.map((each) => partKey('adsb', each));
    expect(new Set((await other.getAll('adsb', parts)).keys())).toEqual(new Set(keys));
  });

  testOnce('of another account are not found', async () => {
    const database = await open();
    await new PartCache(stored(database)).put(part(0, 10));
    const other = new PartCache(stored(database, { account: 'other' }));
    await other.learn([box(0, 10)]);
    expect(await other.find('adsb', part(0, 10))).toBeUndefined();
    expect(other.wholeOver('adsb', part(0, 10))).toEqual([]);
  });

  testOnce('of another format or reader, which may have dropped records, are ignored and replaced', async () => {
    const database = await open();
    await new PartCache(stored(database, { version: '1.1' })).put(part(0, 10, { records: 5 }));
    const cache = new PartCache(stored(database), NO_MEMORY);
    await cache.learn([box(0, 10)]);
    expect(cache.wholeOver('adsb', part(0, 10))).toEqual([]);
    expect(await cache.find('adsb', part(0, 10))).toBeUndefined();
    await cache.put(part(0, 10));
    expect(await cache.get('adsb', part(0, 10))).toMatchObject({ records: 3 });
  });

  test.each([
    ['no deflated bytes', { body: Buffer.from('nonsense') }],
    ['cut off', { body: EMPTY.slice(0, 1) }],
  ])('that cannot be read are ignored and replaced: %s', async (_, damage) => {
    const database = await open();
    const cache = new PartCache(stored(database), NO_MEMORY);
    await cache.put(part(0, 10));
    await database.query.updateTable('part').set(damage).execute();
    expect(await cache.get('adsb', part(0, 10))).toBeUndefined();
    expect(cache.has('adsb', part(0, 10))).toBe(false);
    await cache.learn([box(0, 10)]);
    expect(cache.has('adsb', part(0, 10)), 'its row is gone').toBe(false);
    await cache.put(part(0, 10));
    expect(await cache.get('adsb', part(0, 10))).toEqual(part(0, 10));
  });

  test('stay below their limit, and the least recently used are evicted first', async () => {
    const bodyBytes = 1000;
    const body = await bodyOf(bodyBytes);
    const rowBytes = body.byteLength + ROW_BYTES;
    const room = 10;
    const step = fc.oneof(
      fc.record({ put: fc.integer({ min: 0, max: 30 }) }),
      fc.record({ get: fc.integer({ min: 0, max: 30 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const database = await open();
        const cache = new PartCache(stored(database, { maxBytes: room * rowBytes }), NO_MEMORY);
        /** The least recently used part is first. */
        let used: number[] = [];
        for (const each of steps) {
          // Uses are recorded in steps of minutes.
          clockMs += 11 * MINUTE_MS;
          const minute = 'put' in each ? each.put : each.get;
          const place = part(minute, minute + 1, { body, records: 1e6 });
          if ('put' in each) await cache.put(place);
          else if (!(await cache.get('adsb', place))) continue;
          used = [...used.filter((other) => other !== minute), minute];
          const rows = await database.query.selectFrom('part').select('key').execute();
          const kept = new Set(rows.map(({ key }) => key));
          expect(kept.size).toBeLessThanOrEqual(room);
          used = used.slice(-kept.size);
          expect(kept).toEqual(new Set(used.map((at) => partKey('adsb', part(at, at + 1)))));
          expect(kept.size).toBe(cache.wholeOver('adsb', part(0, 60)).length);
        }
      }),
      { numRuns: dialect === 'sqlite' ? 12 : 2 },
    );
  });

  if (dialect === 'postgres')
    test('are kept in memory while the database cannot be used, and stored again afterwards', async () => {
      const cluster = databases.newCluster();
      const database = await open(cluster.target());
      const cache = new PartCache(stored(database));
      await cache.put(part(0, 10));
      cluster.stop();
      try {
        await cache.put(part(10, 20));
        expect(await cache.get('adsb', part(10, 20))).toEqual(part(10, 20));
        await cache.learn([box(0, 60)]);
        expect(cache.wholeOver('adsb', part(0, 60))).toHaveLength(2);
        expect(database.failure).toMatchObject({ kind: 'lost' });
      } finally {
        cluster.start();
      }
      await cache.put(part(20, 30));
      const other = new PartCache(stored(database));
      await other.learn([box(0, 60)]);
      expect(other.wholeOver('adsb', part(0, 60))).toHaveLength(2);
    });
});

async function bodyOf(bytes: number): Promise<Uint8Array> {
  const positions = Array.from({ length: bytes / 4 }, (_, index) => ({
    ...plainPosition,
    lon: (index * 7919) % 180,
    lat: (index * 104_729) % 90,
  }));
  return await packObservations(positions);
}

/** After a collection, in heap and buffers. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let time = 0; time < 2; time++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
