import { beforeEach, describe, expect, test } from 'vitest';
import { addMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { LoadedTrails } from './trails-client.ts';
import { TrailsLoading, type TrailsState, type WantedTrails } from './trails-loading.ts';

const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const BOX = { west: 8, south: 47, east: 9, north: 48 };

interface Asked {
  readonly query: string;
  answer(since: string | null): void;
  fail(): void;
}

let asked: Asked[];
let loaded: number;
let state: TrailsState | undefined;
let loading: TrailsLoading;
beforeEach(() => {
  asked = [];
  loaded = 0;
  state = undefined;
  loading = new TrailsLoading({
    load: (query) =>
      new Promise((resolve, reject) => {
        asked.push({
          query: decodeURIComponent(String(query)),
          answer: (since) => resolve({ head: { layers: { adsb: { since } } }, layers: {} } as unknown as LoadedTrails),
          fail: () => reject(new Error('no answer')),
        });
      }),
    onLoaded: () => loaded++,
    onState: (changed) => {
      state = changed;
    },
  });
});

const follow = (change: Partial<WantedTrails> = {}) =>
  loading.follow({ covered: [BOX], layers: ['adsb'], refs: undefined, asOf: NOW, ...change });
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('the loading of trails', () => {
  test('asks once for a place, and again for one that goes beyond it', async () => {
    follow();
    follow({ asOf: addMs(NOW, 1000) });
    expect(asked.map(({ query }) => query)).toEqual(['bbox=8,47,9,48&layers=adsb']);
    expect(state).toEqual({ kind: 'loading' });
    asked[0]?.answer(formatInstant(NOW));
    await settled();
    expect(state).toEqual({ kind: 'loaded', since: NOW });
    follow({ asOf: addMs(NOW, 5000) });
    const inner = { ...BOX, east: 8.5 };
    follow({ covered: [inner], asOf: addMs(NOW, 10_000) });
    expect(asked).toHaveLength(1);
    follow({ asOf: addMs(NOW, 15_000) });
    expect(asked).toHaveLength(2);
    asked[1]?.answer(null);
    await settled();
    expect(state).toEqual({ kind: 'loaded', since: undefined });
    expect(loaded).toBe(2);
  });

  test('asks again after a pause, for another track or layer, and across 180° for one box', async () => {
    follow();
    asked[0]?.answer(null);
    await settled();
    follow({ asOf: addMs(NOW, 60_000) });
    asked[1]?.answer(null);
    await settled();
    follow({ asOf: addMs(NOW, 61_000), refs: ['RX-A-1', 'RX-A-2'] });
    follow({ asOf: addMs(NOW, 62_000), layers: ['rid'] });
    const across = [
      { ...BOX, west: 179, east: 180 },
      { ...BOX, west: -180, east: -179 },
    ];
    follow({ asOf: addMs(NOW, 63_000), covered: across });
    expect(asked.map(({ query }) => query)).toEqual([
      'bbox=8,47,9,48&layers=adsb',
      'bbox=8,47,9,48&layers=adsb',
      'bbox=8,47,9,48&layers=adsb&tracks=RX-A-1,RX-A-2',
      'bbox=8,47,9,48&layers=rid',
      'bbox=179,47,-179,48&layers=adsb',
    ]);
  });

  test('says that it failed, and tries again after a while', async () => {
    follow();
    asked[0]?.fail();
    await settled();
    expect(state).toEqual({ kind: 'failed' });
    follow({ asOf: addMs(NOW, 5000) });
    expect(asked).toHaveLength(1);
    follow({ asOf: addMs(NOW, 10_000) });
    expect(asked).toHaveLength(2);
  });

  test('drops an answer to an outdated request', async () => {
    follow();
    loading.follow(undefined);
    asked[0]?.answer(null);
    await settled();
    expect([loaded, state]).toEqual([0, { kind: 'off' }]);
  });
});
