import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { FORMAT_VERSION } from '#lib/codec/format-version.ts';
import { addMs, compareInstants, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { HistoryPart } from '../parts/history-part.ts';
import { READER_VERSION } from '../upstream/read-page.ts';
import { ENTRY_BYTES, PartCache } from './part-cache.ts';
import { PartsOnDisk } from './parts-on-disk.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 10));

function part(fromMinute: number, toMinute: number, change: Partial<HistoryPart> = {}): HistoryPart {
  return {
    layer: 'adsb',
    bbox: { west: 8, south: 47, east: 9, north: 48 },
    window: { start: addMs(start, fromMinute * MINUTE_MS), end: addMs(start, toMinute * MINUTE_MS) },
    records: 3,
    truncated: false,
    unreadable: 0,
    body: new Uint8Array(100),
    ...change,
  };
}

const fileOf = (name: string) => join(mkdtempSync(join(tmpdir(), 'lookout-parts-')), name);

test.each([
  ['in memory', () => new PartCache(undefined)],
  // Without room in memory, everything is found on disk.
  ['on disk', () => new PartCache(fileOf('parts.sqlite'), { memoryBytes: 1, diskBytes: 1_000_000 })],
])('%s, finds exactly the complete parts that overlap with a window and cover its area', (_, makeCache) => {
  const cache = makeCache();
  const around = part(10, 20, { bbox: { west: 7, south: 46, east: 10, north: 49 } });
  const touching = [part(5, 10), part(50, 60)];
  const beside = part(12, 14, { bbox: { west: 8, south: 47, east: 8.9, north: 48 } });
  for (const each of [around, part(45, 50), ...touching, beside]) cache.put(each);
  cache.put(part(20, 30, { truncated: true }));
  cache.put(part(30, 40, { layer: 'rid' }));
  const found = cache
    .wholeOver('adsb', part(10, 50))
    .toSorted((a, b) => compareInstants(a.window.start, b.window.start));
  const head = ({ bbox, window, records }: HistoryPart) => ({ bbox, window, records });
  expect(found).toMatchObject([around, part(45, 50)].map(head));
  cache.close();
});

test('a file with a table of an earlier version is recreated', () => {
  const file = fileOf('parts.sqlite');
  const earlier = new DatabaseSync(file);
  earlier.exec("CREATE TABLE parts (key TEXT PRIMARY KEY, records INTEGER); INSERT INTO parts VALUES ('a', 1)");
  earlier.close();
  const cache = new PartCache(file);
  cache.put(part(0, 10));
  cache.close();
  const again = new PartCache(file);
  expect(again.get('adsb', part(0, 10))).toMatchObject({ records: 3, truncated: false });
  again.close();
});

test.each([
  ['bodies of another format', { format: FORMAT_VERSION - 1, reader: READER_VERSION }],
  ['what another reader wrote, which may have dropped records', { format: FORMAT_VERSION, reader: READER_VERSION - 1 }],
])('drops %s, and caches it again', (_, version) => {
  const file = fileOf('parts.sqlite');
  const before = new PartsOnDisk(file, 1_000_000, version);
  before.put(part(0, 10));
  before.close();
  const cache = new PartCache(file);
  expect(cache.has('adsb', part(0, 10))).toBe(false);
  expect(cache.wholeOver('adsb', part(0, 10))).toEqual([]);
  cache.put(part(0, 10));
  cache.close();
  const again = new PartCache(file);
  expect(again.get('adsb', part(0, 10))).toMatchObject({ records: 3 });
  again.close();
});

test('keeps a part with unreadable records for a while, in memory alone, and makes nothing of it for other windows', async () => {
  const file = fileOf('parts.sqlite');
  const limits = { memoryBytes: 1e6, diskBytes: 1e6, unreadableMs: 200 };
  const cache = new PartCache(file, limits);
  cache.put(part(0, 10, { unreadable: 1 }));
  expect(cache.get('adsb', part(0, 10))).toMatchObject({ unreadable: 1 });
  expect(cache.wholeOver('adsb', part(0, 10))).toEqual([]);
  await expect.poll(() => cache.has('adsb', part(0, 10))).toBe(false);
  cache.put(part(0, 10, { unreadable: 1 }));
  cache.close();
  const again = new PartCache(file, limits);
  expect(again.has('adsb', part(0, 10))).toBe(false);
  again.close();
});

test('memory is what its parts count for, and no more than its limit', () => {
  const cache = new PartCache(undefined, { memoryBytes: 3 * (100 + ENTRY_BYTES), diskBytes: 0 });
  expect(cache.memoryBytes).toBe(0);
  cache.put(part(0, 10));
  expect(cache.memoryBytes).toBe(100 + ENTRY_BYTES);
  for (let from = 10; from < 60; from += 10) cache.put(part(from, from + 10));
  expect(cache.memoryBytes).toBe(3 * (100 + ENTRY_BYTES));
});

test('what parts count for is what they take, also where their bodies are small', () => {
  const cache = new PartCache(undefined, { memoryBytes: 1e9, diskBytes: 0 });
  const parts = 20_000;
  const before = usedBytes();
  for (let at = 0; at < parts; at++)
    cache.put(part(at, at + 0.5, { bbox: { west: at / 1e5, south: 1, east: 9, north: 2 } }));
  const taken = usedBytes() - before;
  expect(cache.memoryBytes).toBe(parts * (100 + ENTRY_BYTES));
  expect(taken / cache.memoryBytes).toBeGreaterThan(0.6);
  expect(taken / cache.memoryBytes).toBeLessThan(1.2);
});

/** After a collection, in heap and buffers. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let time = 0; time < 2; time++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
