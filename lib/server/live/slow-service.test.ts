import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness();
});
afterEach(() => live.close());

const view = { west: 8, south: 47, east: 9, north: 48 };
/** Reads the view without a refresh. */
const readView = () => live.reader.read({ operator: 'local', session: undefined, page: 'only' }, view, ['rid', 'adsb']);
const readMs = (layer: { readonly fetched_at: string | null } | undefined) => Date.parse(layer?.fetched_at ?? '');

test('viewers of a slow service have the earlier positions at once, at one request a layer, and its answer when it arrives', async () => {
  const before = await live.read();
  live.moveClock(5000);
  live.service.clearRequests();
  live.service.setFault({ kind: 'hold' });
  await live.scheduler.tick();
  await expect.poll(() => live.service.requests().length, { interval: 5 }).toBe(2);
  for (let second = 0; second < 8; second++) {
    live.moveClock(1000);
    await live.scheduler.tick();
    const { layers, as_of } = await readView();
    for (const layer of ['rid', 'adsb'] as const) {
      expect(layers[layer]?.records).toEqual(before.layers[layer]?.records);
      expect(Date.parse(as_of) - readMs(layers[layer])).toBe(6000 + second * 1000);
    }
  }
  expect(live.service.requests()).toHaveLength(2);
  live.service.clearFault();
  await live.scheduler.idle();
  const { layers } = await readView();
  for (const layer of ['rid', 'adsb'] as const) {
    expect(layers[layer]?.state).toBe('fresh');
    expect(readMs(layers[layer])).toBeGreaterThan(readMs(before.layers[layer]));
  }
});
