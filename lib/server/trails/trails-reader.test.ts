import { inflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { trailsQuerySchema } from '#lib/api/query.ts';
import { trailsAnswerSchema, trailsHeadSchema } from '#lib/api/trails-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { decodeTrails } from '#lib/codec/trails.ts';
import type { LiveHarness } from '#testing/live-harness.ts';
import { startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness();
});
afterEach(() => live.close());

const VIEW = { west: 8, south: 47, east: 9, north: 48 };
const BOTH = ['rid', 'adsb'] as const;

async function trails(query: Partial<Parameters<LiveHarness['trails']['readJson']>[0]> = {}) {
  return trailsAnswerSchema.parse(await live.trails.readJson({ bbox: VIEW, layers: BOTH, ...query }));
}

describe('trails', () => {
  test('are what was read anyway, and cause no request', async () => {
    await live.poll(20_000);
    const requests = live.service.requests().length;
    const demand = live.scheduler.demand.version;
    const { as_of, kept_ms, covered, capped, layers } = await trails();
    expect([as_of, kept_ms, covered, capped]).toEqual(['2026-11-21T12:00:30.000Z', 900_000, [[8, 47, 9, 48]], false]);
    const times = ['09', '14', '19', '24'].map((second) => `2026-11-21T12:00:${second}.000Z`);
    for (const layer of BOTH) {
      const { since, shortened, tracks, positions, trails: found } = layers[layer] ?? {};
      expect([since, shortened, tracks, positions]).toEqual(['2026-11-21T12:00:10.000Z', null, 3, 12]);
      expect(found?.map((trail) => trail.positions.map(({ observed_at }) => observed_at))).toEqual([
        times,
        times,
        times,
      ]);
    }
    expect(layers.adsb?.trails[0]?.positions[0]).toHaveProperty('altitude_m');
    expect(layers.rid?.trails[0]?.positions[0]).toHaveProperty('height_agl_m');
    expect(live.service.requests()).toHaveLength(requests);
    expect(live.scheduler.demand.version).toBe(demand);
  });

  test('of a place that is in no view are empty, and say that nothing is known', async () => {
    await live.poll(10_000);
    const requests = live.service.requests().length;
    const demand = live.scheduler.demand.version;
    const { layers } = await trails({ bbox: { west: 100, south: 10, east: 101, north: 11 } });
    expect(layers.adsb).toEqual({ since: null, shortened: null, tracks: 0, positions: 0, trails: [] });
    expect(live.service.requests()).toHaveLength(requests);
    expect(live.scheduler.demand.version).toBe(demand);
  });

  test('of part of a place that is planned are given, without a time since which they are whole', async () => {
    await live.poll(10_000);
    const { layers } = await trails({ bbox: { ...VIEW, east: 10 }, layers: ['adsb'] });
    expect(Object.keys(layers)).toEqual(['adsb']);
    expect([layers.adsb?.since, layers.adsb?.tracks]).toEqual([null, 3]);
  });

  test('begin again after a pause', async () => {
    await live.poll(10_000);
    live.moveClock(200_000);
    await live.poll(5000);
    const { layers } = await trails({ layers: ['adsb'] });
    expect(layers.adsb?.since).toBe('2026-11-21T12:03:40.000Z');
    // Earlier positions are still part of the answer.
    expect(layers.adsb?.positions).toBe(9);
  });

  test('are whole since the receivers were back, and of unknown wholeness while they are lost', async () => {
    await live.close();
    let state: 'ok' | 'lost' | 'partly' = 'ok';
    const reception = () => ({ state, since: undefined, receivers: 1, receiving: state === 'lost' ? 0 : 1 });
    live = await startLiveHarness({ source: { ...steadyTraffic(3), reception } });
    const since = async () => (await trails({ layers: ['adsb'] })).layers.adsb?.since;
    await live.poll(10_000);
    expect(await since()).toBe('2026-11-21T12:00:10.000Z');
    state = 'lost';
    await live.poll(10_000);
    expect(await since()).toBeNull();
    state = 'partly';
    await live.poll(10_000);
    expect(await since()).toBe('2026-11-21T12:00:30.000Z');
  });

  test('can be requested by reference', async () => {
    await live.poll(10_000);
    const [first, second] = (await trails({ layers: ['adsb'] })).layers.adsb?.trails ?? [];
    const tracks = new Set([second?.public_track_id ?? '', 'RX-A-0000000000000000']);
    expect((await trails({ layers: ['adsb'], tracks })).layers.adsb?.trails).toEqual([second]);
    expect(second).not.toEqual(first);
  });

  test('are kept of what could be read of an interrupted refresh, which does not count as read', async () => {
    await live.close();
    live = await startLiveHarness({ source: steadyTraffic(1500) });
    live.service.setFault({ kind: 'fail_after_page' });
    await live.read(VIEW, ['adsb']);
    expect((await trails({ layers: ['adsb'] })).layers.adsb).toMatchObject({ since: null, tracks: 1000 });
  });

  test('are the same in the compact form', async () => {
    await live.close();
    live = await startLiveHarness({ source: steadyTraffic(40, { lon: 179.8, lat: -17 }) });
    const across = { west: 179, south: -18, east: -179, north: -16 };
    for (let read = 0; read < 3; read++) {
      await live.read(across);
      live.moveClock(5000);
    }
    const { layers, ...view } = await trails({ bbox: across });
    const answer = await live.trails.readCompact({ bbox: across, layers: BOTH });
    const { head, end } = splitHead(answer);
    const compact = trailsHeadSchema.parse(head);
    let at = end;
    for (const layer of BOTH) {
      const { bytes = 0, ...said } = compact.layers[layer] ?? {};
      const { refs, starts, atMs } = decodeTrails(inflateRawSync(answer.subarray(at, at + bytes)));
      at += bytes;
      const { trails: found = [], ...json } = layers[layer] ?? {};
      expect(said).toEqual(json);
      expect(said).toMatchObject({ tracks: 21, positions: 63 });
      expect(
        refs.map((ref, track) => [
          ref,
          Array.from(atMs.subarray(starts[track], starts[track + 1]), (ms) => new Date(ms).toISOString()),
        ]),
      ).toEqual(found.map((trail) => [trail.public_track_id, trail.positions.map(({ observed_at }) => observed_at)]));
    }
    expect({ ...compact, layers: undefined }).toEqual({ ...view, layers: undefined });
    expect(at).toBe(answer.byteLength);
  });
});

describe('the query of trails', () => {
  const read = (query: Record<string, string>) => trailsQuerySchema.safeParse(query);
  test('refuses what it cannot answer, and says why', () => {
    const message = (query: Record<string, string>) => read({ bbox: '8,47,9,48', ...query }).error?.issues[0]?.message;
    expect(message({ bbox: '8,47' })).toMatch(/bbox/);
    expect(message({ bbox: '8,47,9,NaN' })).toMatch(/bbox/);
    expect(message({ layers: 'boats' })).toMatch(/layers/);
    expect(message({ centre: '1,1' })).toMatch(/centre/);
    expect(message({ tracks: '' })).toMatch(/tracks/);
    expect(message({ tracks: 'RX-A-1,' })).toMatch(/tracks/);
    expect(message({ tracks: Array(21).fill('RX-A-1').join() })).toMatch(/tracks/);
    expect(message({ tracks: 'R'.repeat(65) })).toMatch(/tracks/);
    expect(message({ since: 'a:1' })).toMatch(/since/);
  });

  test('takes a box of any size, references and layers', () => {
    expect(read({ bbox: '170,-80,-170,80', tracks: 'A,B', layers: 'rid' }).data).toEqual({
      bbox: { west: 170, south: -80, east: -170, north: 80 },
      layers: ['rid'],
      tracks: new Set(['A', 'B']),
    });
  });
});
