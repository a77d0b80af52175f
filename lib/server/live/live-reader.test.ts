import { setImmediate as nextLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LiveHarness, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness();
});
afterEach(() => live.close());

describe('viewers', () => {
  test('a thousand at once cost one request per layer', async () => {
    await Promise.all(Array.from({ length: 1000 }, () => live.read()));
    expect(live.service.requests()).toHaveLength(2);
  });

  test('viewers who arrive during the first read of a place get its records like the first one', async () => {
    const reads = [];
    for (let viewer = 0; viewer < 20; viewer++) {
      const view = { west: 8, south: 47, east: 9, north: 48 };
      reads.push(live.reader.read({ operator: 'local', session: undefined, page: 'only' }, view, ['adsb']));
      if (viewer % 2 === 1) await nextLoop();
    }
    const records = (await Promise.all(reads)).map(({ layers }) => layers.adsb?.records.length);
    expect(records).toEqual(Array(20).fill(3));
    expect(live.service.requests()).toHaveLength(1);
  });

  test('with nearly the same view share its requests, and each gets only the records of its own view', async () => {
    await live.close();
    live = await startLiveHarness({ source: steadyTraffic(3, { lon: 8.1, lat: 47.5 }) });
    const near = await live.read({ west: 8.001, south: 47.002, east: 8.999, north: 47.998 });
    const panned = await live.read({ west: 8.115, south: 47.002, east: 8.999, north: 47.998 });
    expect(live.service.requests()).toHaveLength(2);
    expect([near.layers.adsb?.records.length, panned.layers.adsb?.records.length]).toEqual([3, 1]);
  });

  test('a layer that was not requested is absent from the answer and costs nothing', async () => {
    const answer = await live.read(undefined, ['adsb']);
    expect(Object.keys(answer.layers)).toEqual(['adsb']);
    expect(live.countOf('live_rid')).toBe(0);
  });

  test('an empty area is fresh and empty', async () => {
    const { layers } = await live.read({ west: 100, south: 10, east: 101, north: 11 });
    expect([layers.adsb?.state, layers.adsb?.records]).toEqual(['fresh', []]);
    expect(layers.adsb?.fetched_at).not.toBeNull();
  });
});

describe('areas', () => {
  test('a view across 180° is requested as two boxes and shows both halves', async () => {
    await live.close();
    live = await startLiveHarness({ source: steadyTraffic(40, { lon: 179.8, lat: -17 }) });
    const east = await live.read({ west: 179, south: -18, east: -179, north: -16 });
    expect(east.covered).toEqual([
      [179, -18, 180, -16],
      [-180, -18, -179, -16],
    ]);
    expect(live.countOf('live_adsb')).toBe(2);
    // The source's longitudes continue past 180°, so only the tracks west of it exist.
    expect(east.layers.adsb?.records).toHaveLength(21);
  });

  test('the whole world is capped to 30° around its centre, and marked as capped', async () => {
    const { capped, covered, requested } = await live.read({ west: -180, south: -90, east: 180, north: 90 });
    expect([capped, covered, requested]).toEqual([true, [[-15, -15, 15, 15]], [-180, -90, 180, 90]]);
  });

  test('a view with an explicit centre is capped around that', async () => {
    const world = { west: -180, south: -90, east: 180, north: 90 };
    const answered = async (lon: number, lat: number) =>
      (await live.reader.read({ operator: 'local', session: undefined, page: 'only' }, world, ['adsb'], { lon, lat }))
        .covered;
    expect(await answered(8, 60)).toEqual([[-7, 45, 23, 75]]);
    expect(await answered(8, -85)).toEqual([[-7, -90, 23, -60]]);
    expect(await answered(179, 0)).toEqual([
      [164, -15, 180, 15],
      [-180, -15, -166, 15],
    ]);
  });

  test('no request is sent whose box breaks the contract', async () => {
    for (const west of [-180, -170.123, 0, 149.99, 165, 179.999]) {
      await live.read({ west, south: -90, east: west > 0 ? -180 + west / 2 : 180, north: 90 });
    }
    expect(live.logged.filter((line) => line.includes('"status":400'))).toEqual([]);
    expect(live.service.requests().length).toBeGreaterThan(6);
  });
});

describe('clocks', () => {
  test('ages are measured against the upstream’s clock', async () => {
    live.service.setFault({ kind: 'clock_offset_ms', offset_ms: 3_600_000 });
    const { as_of, layers } = await live.read();
    const ageMs = Date.parse(as_of) - Date.parse(layers.adsb?.records[0]?.observed_at ?? '');
    expect(ageMs).toBeGreaterThanOrEqual(1000);
    expect(ageMs).toBeLessThan(3000);
  });
});

test('the key appears in no answer and no log line', async () => {
  const answers = [await live.read()];
  live.service.setFault({ kind: 'status', status: 401 });
  live.moveClock(5000);
  answers.push(await live.read());
  expect(JSON.stringify(answers)).not.toContain(live.service.apiKey);
  expect(live.logged.join('\n')).not.toContain(live.service.apiKey);
  expect(live.logged.length).toBeGreaterThan(2);
});
