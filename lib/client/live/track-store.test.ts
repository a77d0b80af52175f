import { describe, expect, test } from 'vitest';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import { plainRecord, RECORDS_AT_MS } from '../../api/arbitrary-record.fixture.ts';
import { recordColumns } from './record-columns.fixture.ts';
import { TrackStore } from './track-store.ts';

function storeOf(...records: LiveRecord[]): TrackStore {
  const store = new TrackStore();
  store.apply(recordColumns(records));
  return store;
}

describe('TrackStore', () => {
  test.each<Partial<LiveRecord>>([
    { longitude: 8.6 },
    { latitude: 47.6 },
    { altitude_m: 0 },
    { height_agl_m: 0 },
    { speed_mps: 0 },
    { heading_deg: 0 },
    { confidence: 'single' },
    { confidence_score: 0 },
    { receiver_count: 0 },
    { simulated: true },
    { test_broadcast: true },
    { emergency_state: 'general' },
    { stale_after: '2026-11-21T12:01:00.000Z' },
  ])('a record of the same time that differs only in %j is applied', (change) => {
    const store = storeOf(plainRecord);
    const before = store.positionAt(0);
    store.apply(recordColumns([{ ...plainRecord, ...change }]));
    expect(store.positionAt(0)).not.toEqual(before);
    expect(store.positionAt(0)).toEqual(storeOf({ ...plainRecord, ...change }).positionAt(0));
  });

  test('reuses free slots, so that it does not grow over time', () => {
    const store = new TrackStore();
    for (let round = 0; round < 50; round++) {
      const ref = `RX-A-${String(round).padStart(16, '0')}`;
      store.apply(recordColumns([{ ...plainRecord, public_track_id: ref }]));
      store.prune(RECORDS_AT_MS + 3_600_000, undefined);
    }
    expect(store.size).toBe(0);
    expect(store.columns.end).toBe(1);
  });
});

describe('beginnings of tracks', () => {
  const here = { west: 8, south: 47, east: 9, north: 48 };
  const later: LiveRecord = {
    ...plainRecord,
    public_track_id: 'RX-A-0000000000000007',
    longitude: 8.4,
    latitude: 47.4,
  };
  const moved = {
    ...later,
    latitude: 47.45,
    observed_at: new Date(Date.parse(later.observed_at) + 1000).toISOString(),
  };

  test('are where and when a track was received first, if its place was covered before', () => {
    const store = storeOf(plainRecord);
    store.apply(recordColumns([plainRecord, later]), [here]);
    store.apply(recordColumns([moved]), [here]);
    const slot = store.slotOf(later.public_track_id) as number;
    const { beginnings } = store;
    expect([beginnings.atMs(slot), beginnings.lon(slot), beginnings.lat(slot)]).toEqual([
      Date.parse(later.observed_at),
      8.4,
      47.4,
    ]);
  });

  test.each([
    ['in the first answer', []],
    ['elsewhere', [{ west: 9, south: 47, east: 10, north: 48 }]],
  ])('are unknown of a track that came %s', (_, covered) => {
    const store = storeOf(plainRecord);
    store.apply(recordColumns([later]), covered);
    expect(store.beginnings.atMs(store.slotOf(later.public_track_id) as number)).toBeNaN();
  });
});
