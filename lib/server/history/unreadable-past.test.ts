import { afterEach, beforeEach, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { loadAll, startHistoryHarness, tracks } from '#testing/history-harness.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { ONLY_SERVER } from '../database/writer-lease.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { PartCache } from './parts/part-cache.ts';
import { StoredParts } from './parts/stored-parts.ts';

let history: Awaited<ReturnType<typeof startHistoryHarness>>;
const OBSERVATIONS = tracks(5);
beforeEach(async () => {
  history = await startHistoryHarness(OBSERVATIONS);
});
afterEach(() => history.live.close());

const reasonsOf = (end: Awaited<ReturnType<typeof loadAll>>) => [
  ...new Set(end.adsb?.gaps.map(({ reason }) => reason)),
];

test('a past without a readable record is a gap, also when it is loaded again, and costs no request for minutes', async () => {
  history.live.service.setFault({ kind: 'bad_record', count: null });
  const first = await loadAll(history.reader);
  expect([first.adsb?.complete, first.adsb?.records, reasonsOf(first)]).toEqual([false, 0, ['answer_unreadable']]);
  const requests = history.requests();
  const again = await loadAll(history.reader);
  expect([again.adsb?.complete, reasonsOf(again), history.requests()]).toEqual([
    false,
    ['answer_unreadable'],
    requests,
  ]);
});

test('a past with some unreadable records is loaded without them, and is a gap', async () => {
  history.live.service.setFault({ kind: 'bad_record', count: 1 });
  const end = await loadAll(history.reader);
  expect([end.adsb?.complete, reasonsOf(end)]).toEqual([false, ['answer_unreadable']]);
  expect(end.adsb?.records).toBeGreaterThan(0.9 * OBSERVATIONS.length);
});

test('is read again after minutes, and by another start at once', async () => {
  const database = await memoryDatabase();
  const stored = new StoredParts({
    database,
    account: 'one',
    lease: ONLY_SERVER,
    part: strictSupervisor().part('history'),
    wallNow: () => localInstant(0),
  });
  const cache = new PartCache(stored, { unreadableMs: 300 });
  const reader = history.readerWith(cache);
  history.live.service.setFault({ kind: 'bad_record', count: null });
  expect((await loadAll(reader)).adsb?.complete).toBe(false);
  history.live.service.clearFault();
  await expect.poll(async () => (await loadAll(reader)).adsb?.complete).toBe(true);
  expect((await loadAll(reader)).adsb?.records).toBe(OBSERVATIONS.length);

  const other = new PartCache();
  history.live.service.setFault({ kind: 'bad_record', count: null, times: 1 });
  expect((await loadAll(history.readerWith(other))).adsb?.complete).toBe(false);
  expect((await loadAll(history.readerWith(new PartCache()))).adsb?.complete).toBe(true);
  await database.close();
});
