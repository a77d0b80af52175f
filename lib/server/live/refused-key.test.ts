import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoredLedger } from '#lib/server/allowance/stored-ledger.ts';
import { AreaReads } from '#lib/server/live/area-reads.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { epochMs } from '#lib/time/instant.ts';
import { type LiveHarness, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness();
});
afterEach(() => live.close());

const minuteMs = 60_000;

async function readOnce(): Promise<void> {
  await live.read();
  live.service.clearRequests();
  live.moveClock(5000);
}

test('a key file that is broken is logged once, and once more when it can be read again', async () => {
  await readOnce();
  const logged = (words: string) => live.logged.filter((line) => line.includes(words)).length;
  live.writeKey('two words');
  await live.poll(minuteMs);
  expect(live.service.requests()).toEqual([]);
  expect(logged('the key of the upstream cannot be read')).toBe(1);
  live.writeKey(live.service.apiKey);
  await live.poll(minuteMs);
  expect(live.service.requests().length).toBeGreaterThan(0);
  expect(logged('the key of the upstream can be read again')).toBe(1);
});

describe('401: the key is refused', () => {
  test('costs exactly one request for both layers, however often viewers poll', async () => {
    live.service.setFault({ kind: 'status', status: 401 });
    await live.poll(30 * minuteMs);
    expect(live.service.requests()).toHaveLength(1);
    const { layers } = await live.read();
    expect([layers.rid?.state, layers.rid?.reason]).toEqual(['failed', 'key_refused']);
    expect([layers.adsb?.state, layers.adsb?.reason]).toEqual(['failed', 'key_refused']);
  });

  test('costs exactly one request if revoked between two refreshes, though both layers are due at once', async () => {
    await readOnce();
    live.service.setFault({ kind: 'status', status: 401 });
    await live.poll(30 * minuteMs);
    expect(live.service.requests()).toHaveLength(1);
    const { layers } = await live.read();
    expect([layers.rid?.reason, layers.adsb?.reason]).toEqual(['key_refused', 'key_refused']);
  });

  test('costs exactly one request if revoked, however many places are due at once', async () => {
    const places = [-60, 0, 60].map((west) => ({ west, south: 47, east: west + 1, north: 48 }));
    const readAll = () =>
      Promise.all(
        places.map((place, page) =>
          live.read(place, undefined, { operator: 'local', session: undefined, page: `${page}` }),
        ),
      );
    await readAll();
    expect(live.service.requests()).toHaveLength(6);
    live.service.clearRequests();
    live.moveClock(5000);
    live.service.setFault({ kind: 'status', status: 401 });
    await readAll();
    live.moveClock(5000);
    await readAll();
    expect(live.service.requests()).toHaveLength(1);
  });

  test('costs one request an hour, however often Lookout starts', async () => {
    const ledger = StoredLedger.inMemory();
    const startedAt = (startMs: number) =>
      startLiveHarness({
        startMs,
        service: live.service,
        stores: { ledger, snapshots: new AreaSnapshots(), reads: new AreaReads() },
      });
    live.service.setFault({ kind: 'status', status: 401 });
    const beginMs = epochMs(live.now());
    for (let minutes = 0; minutes < 150; minutes += 11) {
      const start = await startedAt(beginMs + minutes * minuteMs);
      await start.poll(minuteMs);
      await start.close();
    }
    expect(live.service.requests()).toHaveLength(3);
    live.service.clearFault();
    const later = await startedAt(beginMs + 300 * minuteMs);
    await later.poll(minuteMs);
    expect((await later.ledger.state(later.client.clock.now())).refusedKey).toBeUndefined();
    await later.close();
  });

  test('earlier positions stay and keep their age', async () => {
    const before = await live.read();
    live.moveClock(5000);
    live.service.setFault({ kind: 'status', status: 401 });
    await live.poll(minuteMs);
    const { layers } = await live.read();
    expect(layers.adsb?.records).toEqual(before.layers.adsb?.records);
    expect(layers.adsb?.fetched_at).toBe(before.layers.adsb?.fetched_at);
  });

  test('a changed key file is tried by one request, and both layers recover', async () => {
    live.writeKey('an-old-key-that-was-revoked');
    await live.poll(minuteMs);
    expect(live.service.requests()).toHaveLength(1);
    live.writeKey(live.service.apiKey);
    live.moveClock(5000);
    await live.read();
    const { layers } = await live.read();
    expect([layers.rid?.state, layers.adsb?.state]).toEqual(['fresh', 'fresh']);
  });

  test('a key revoked when both layers have their first page costs exactly one request', async () => {
    const { live: tracks, history } = steadyTraffic(1500);
    let isToBeRevoked = false;
    await live.close();
    live = await startLiveHarness({
      source: {
        live(layer, ...where) {
          if (isToBeRevoked && layer === 'adsb') live.service.setFault({ kind: 'status', status: 401 });
          return tracks(layer, ...where);
        },
        history,
      },
    });
    await readOnce();
    isToBeRevoked = true;
    await live.poll(minuteMs);
    expect(live.logged.filter((line) => line.includes('"status":401'))).toHaveLength(1);
    expect(live.service.requests()).toHaveLength(3);
  });
});
