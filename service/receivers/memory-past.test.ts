import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LAYERS } from '#lib/contract/operation.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { listedSource, observation } from '../conformance/listed-source.ts';
import { MemoryPast } from './memory-past.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 23, 12));
const WORLD = { west: -180, south: -90, east: 180, north: 90 };

const seenAt = (ms: number, sourceId = 'a') => observation({ observedAt: addMs(START, ms), sourceId });
const all = (past: MemoryPast, start: UpstreamInstant, lengthMs: number) =>
  past.history('adsb', WORLD, { start, end: addMs(start, lengthMs) }, 1000);

test('it answers as a list of the same observations does', async () => {
  const seen = fc.record({
    layer: fc.constantFrom(...LAYERS),
    observedAt: fc.integer({ min: 0, max: 200_000 }).map((ms) => addMs(START, ms)),
    lon: fc.constantFrom(8, 8.5, 9, 180),
    lat: fc.constantFrom(47, 48),
    sourceId: fc.constantFrom('a', 'b', 'c'),
  });
  const box = fc.constantFrom(WORLD, { west: 8, south: 46, east: 8.5, north: 47.5 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(seen.map(observation), { maxLength: 20 }), { maxLength: 5 }),
      fc.constantFrom(...LAYERS),
      box,
      fc.tuple(fc.nat(210_000), fc.nat(210_000)),
      fc.nat(30),
      async (batches, layer, bbox, [one, other], maxCount) => {
        const past = new MemoryPast();
        for (const batch of batches) past.append(batch);
        const window = { start: addMs(START, Math.min(one, other)), end: addMs(START, Math.max(one, other) + 1) };
        const answer = await past.history(layer, bbox, window, maxCount);
        const listed = listedSource(batches.flat()).history(layer, bbox, window, maxCount);
        expect(answer.more).toBe(listed.more);
        const times = listed.observations.map(({ observedAt }) => observedAt);
        expect(answer.observations.map(({ observedAt }) => observedAt)).toEqual(times);
        expect(await past.historyTimes(layer, bbox, window, maxCount)).toEqual(times);
        expect(await past.history(layer, bbox, window, maxCount)).toEqual(answer);
      },
    ),
  );
});

describe('what it keeps', () => {
  test('an hour, and whole minutes of it', async () => {
    const past = new MemoryPast();
    for (let minute = 0; minute <= 90; minute += 1) past.append([seenAt(minute * MINUTE_MS)]);
    expect(past.oldestAt()).toEqual(addMs(START, 29 * MINUTE_MS));
    expect((await all(past, START, 91 * MINUTE_MS)).observations.length).toBe(62);
  });

  test('less if there is too much of it, the oldest minutes first', async () => {
    const past = new MemoryPast(100);
    for (let ms = 0; ms < 5 * MINUTE_MS; ms += 1000) past.append([seenAt(ms)]);
    expect(past.oldestAt()).toEqual(addMs(START, 4 * MINUTE_MS));
    expect((await all(past, START, 5 * MINUTE_MS)).observations.length).toBe(60);
  });

  test('nothing, at first', async () => {
    const past = new MemoryPast();
    expect(past.oldestAt()).toBeUndefined();
    past.append([]);
    expect(await all(past, START, MINUTE_MS)).toEqual({ observations: [], more: false });
  });

  test('at one time the order is that of the tracks, whichever came first', async () => {
    for (const ids of ['ab', 'ba']) {
      const past = new MemoryPast();
      for (const id of ids) past.append([seenAt(5, id)]);
      expect((await all(past, START, MINUTE_MS)).observations.map(({ sourceId }) => sourceId)).toEqual(['a', 'b']);
    }
  });
});
