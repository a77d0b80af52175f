import { expect, test } from 'vitest';
import { plainRecord, RECORDS_AT_MS } from '../../api/arbitrary-record.fixture.ts';
import { BrowserStorage } from '../browser/storage.ts';
import { StoredTexts } from '../browser/stored.fixture.ts';
import { recordColumns } from '../live/record-columns.fixture.ts';
import { TrackStore } from '../live/track-store.ts';
import { FALLBACK_TTL_MS, readTtl, saveTtl, ttlFromLive } from './time-to-live.ts';

function storage(kept: Record<string, string> = {}) {
  const texts = new StoredTexts(Object.entries(kept));
  return new BrowserStorage(() => texts);
}
const holding = (text: string) => storage({ 'lookout.time-to-live': text });

test('saved times to live are read back', () => {
  const kept = storage();
  saveTtl(kept, { aircraft: 60_000, drone: 45_000 });
  expect(readTtl(kept)).toEqual({ aircraft: 60_000, drone: 45_000 });
});

test('unreadable values fall back, each kind separately', () => {
  expect(readTtl(storage())).toEqual(FALLBACK_TTL_MS);
  expect(readTtl(holding('{'))).toEqual(FALLBACK_TTL_MS);
  expect(readTtl(holding('{"aircraft":"long","drone":45000}'))).toEqual({
    ...FALLBACK_TTL_MS,
    drone: 45_000,
  });
  expect(readTtl(holding('{"aircraft":-1,"drone":0}'))).toEqual(FALLBACK_TTL_MS);
});

function liveWith(spansMs: readonly number[]): TrackStore {
  const live = new TrackStore();
  const records = spansMs.map((spanMs, index) => ({
    ...plainRecord,
    public_track_id: `RX-A-${String(index).padStart(16, '0')}`,
    stale_after: new Date(RECORDS_AT_MS + spanMs).toISOString(),
  }));
  live.apply(recordColumns(records));
  return live;
}

test('uses the median of the live records, ignoring outliers', () => {
  expect(ttlFromLive(liveWith([15_000, 15_000, 15_000, 600_000, -1]).columns).aircraft).toBe(15_000);
});

test('a kind without live records keeps its known value, or the fallback', () => {
  const { columns } = liveWith([15_000]);
  expect(ttlFromLive(columns).drone).toBe(FALLBACK_TTL_MS.drone);
  expect(ttlFromLive(columns, { aircraft: 1, drone: 45_000 })).toEqual({ aircraft: 15_000, drone: 45_000 });
  expect(ttlFromLive(new TrackStore().columns)).toEqual(FALLBACK_TTL_MS);
});
