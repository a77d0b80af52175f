import { afterEach, describe, expect, test } from 'vitest';
import { addMs, epochMs, localInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { Observation } from '#service/sources/observation.ts';
import {
  type HistoryHarness,
  HOUR,
  historyQuery,
  loadAll,
  startHistoryHarness,
  tracks,
} from '#testing/history-harness.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { ONLY_SERVER } from '../database/writer-lease.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { PartCache } from './parts/part-cache.ts';
import { StoredParts } from './parts/stored-parts.ts';

let history: HistoryHarness;
afterEach(() => history.live.close());

async function start(observations: readonly Observation[]): Promise<void> {
  history = await startHistoryHarness(observations);
}

describe('parts of an earlier load', () => {
  const later = { start: addMs(HOUR.start, 7 * MINUTE_MS), end: addMs(HOUR.end, 7 * MINUTE_MS) };
  const both = { start: HOUR.start, end: later.end };
  const inWindow = (observations: readonly Observation[], { start, end }: Window) =>
    observations.filter(({ observedAt }) => observedAt >= start && observedAt < end);

  test('are not requested again for an overlapping window, and each record still comes exactly once', async () => {
    // Also at the edges of windows and parts.
    const observations = tracks(5, both, 1000);
    await start(observations);
    await loadAll(history.reader);
    history.live.service.clearRequests();
    const { expected } = (await history.reader.cost(historyQuery({ window: later }), 'alice')).middle;
    const { keys, adsb, minutes } = await loadAll(history.reader, historyQuery({ window: later }));
    for (const [from] of history.requestedWindows()) expect(from).toBeGreaterThanOrEqual(epochMs(HOUR.end));
    // 2100 records are new.
    expect(history.requests()).toBeGreaterThanOrEqual(3);
    expect(history.requests()).toBeLessThanOrEqual(4);
    expect(Math.abs(expected - history.requests())).toBeLessThanOrEqual(1);
    expect(keys.size).toBe(inWindow(observations, later).length);
    expect(Math.max(...keys.values())).toBe(1);
    expect(adsb).toMatchObject({ complete: true, records: keys.size, requests: history.requests() });
    expect(minutes).toBe('c'.repeat(60));
    history.live.service.clearRequests();
    expect((await loadAll(history.reader, historyQuery({ window: later }))).keys.size).toBe(keys.size);
    expect(history.requests()).toBe(0);
  });

  test('are not requested again for a window between two loaded ones, nor for an area inside', async () => {
    const observations = tracks(20, both);
    await start(observations);
    await loadAll(
      history.reader,
      historyQuery({ window: { start: HOUR.start, end: addMs(HOUR.start, 30 * MINUTE_MS) } }),
    );
    await loadAll(
      history.reader,
      historyQuery({ window: { start: addMs(HOUR.start, 20 * MINUTE_MS), end: HOUR.end } }),
    );
    history.live.service.clearRequests();
    const small = { west: 8.05, south: 47.3, east: 8.2, north: 47.6 };
    const window = { start: addMs(HOUR.start, 10 * MINUTE_MS + 1), end: addMs(HOUR.start, 50 * MINUTE_MS + 1) };
    const { keys, adsb } = await loadAll(history.reader, historyQuery({ bbox: small, window }));
    const [west, , east] = (await history.reader.cost(historyQuery({ bbox: small, window }), 'alice')).middle
      .boxes[0] ?? [0, 0, 0, 0];
    const inside = inWindow(observations, window).filter(({ lon }) => lon >= west && lon <= east);
    expect(history.requests()).toBe(0);
    expect(inside.length).toBeLessThan(inWindow(observations, window).length);
    expect(keys.size).toBe(inside.length);
    expect(adsb).toMatchObject({ complete: true, records: inside.length, requests: 0 });
  });

  test('do not serve another layer, nor a larger area', async () => {
    await start(tracks(5, both));
    await loadAll(history.reader, historyQuery({ bbox: { west: 8.4, south: 47.4, east: 8.6, north: 47.6 } }));
    history.live.service.clearRequests();
    await loadAll(history.reader, historyQuery({ layers: ['rid'] }));
    expect(history.live.countOf('history_rid')).toBeGreaterThan(0);
    await loadAll(history.reader);
    expect(history.live.countOf('history_adsb')).toBeGreaterThan(0);
  });

  test('survive a restart, in the database', async () => {
    const observations = tracks(20, both);
    await start(observations);
    const database = await memoryDatabase();
    const wallNow = () => localInstant(0);
    const cache = () =>
      new PartCache(
        new StoredParts({
          database,
          account: 'one',
          lease: ONLY_SERVER,
          wallNow,
          part: strictSupervisor().part('history'),
        }),
      );
    await loadAll(history.readerWith(cache()));
    history.live.service.clearRequests();
    const window = { start: addMs(HOUR.start, 5 * MINUTE_MS + 500), end: HOUR.end };
    const { keys } = await loadAll(history.readerWith(cache()), historyQuery({ window }));
    expect(history.requests()).toBe(0);
    expect(keys.size).toBe(inWindow(observations, window).length);
    await database.close();
  });
});
