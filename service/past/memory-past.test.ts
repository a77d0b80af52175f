import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LAYERS } from '#lib/contract/operation.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { listedSource, observation } from '../conformance/listed-source.ts';
import { MemoryPast } from './memory-past.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 23, 12));
const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(32)) as [string, string, string];

const seenAt = (ms: number, sourceId = A) => observation({ observedAt: addMs(START, ms), sourceId });
const all = (past: MemoryPast, start: UpstreamInstant, lengthMs: number) =>
  past.history('adsb', WORLD, { start, end: addMs(start, lengthMs) }, 1000);

test('it answers as a list of the same observations does', async () => {
  const seen = fc.record({
    layer: fc.constantFrom(...LAYERS),
    observedAt: fc.integer({ min: 0, max: 900_000 }).map((ms) => addMs(START, ms)),
    lon: fc.constantFrom(8, 8.5, 9, 180),
    lat: fc.constantFrom(47, 48),
    sourceId: fc.constantFrom(A, B, C),
  });
  const box = fc.constantFrom(WORLD, { west: 8, south: 46, east: 8.5, north: 47.5 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(seen.map(observation), { maxLength: 20 }), { maxLength: 5 }),
      fc.constantFrom(...LAYERS),
      box,
      fc.tuple(fc.nat(910_000), fc.nat(910_000)),
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
    { numRuns: 60 },
  );
});

describe('what it keeps', () => {
  test('keeps an hour and its lead-in, and reports since when', async () => {
    const past = new MemoryPast();
    for (let minute = 0; minute <= 90; minute += 1) past.append([seenAt(minute * MINUTE_MS)]);
    expect(past.oldestAt()).toEqual(addMs(START, 20 * MINUTE_MS));
    expect(past.keptSince()).toEqual(past.oldestAt());
    expect((await all(past, START, 91 * MINUTE_MS)).observations.length).toBe(71);
  });

  test('less if there is too much of it, the oldest first, but never nothing', async () => {
    const past = new MemoryPast(100);
    for (let ms = 0; ms < 12 * MINUTE_MS; ms += 1000) past.append([seenAt(ms)]);
    expect(past.oldestAt()).toEqual(addMs(START, 10 * MINUTE_MS));
    expect((await all(past, START, 12 * MINUTE_MS)).observations.length).toBe(120);
  });

  test('nothing, at first', async () => {
    const past = new MemoryPast();
    expect([past.oldestAt(), past.keptSince()]).toEqual([undefined, undefined]);
    past.append([]);
    expect((await all(past, START, MINUTE_MS)).observations).toEqual([]);
  });

  test('counts observations without a track key', () => {
    const past = new MemoryPast();
    past.append([seenAt(0, 'a name')]);
    expect(past.state().dropped.unstorable).toBe(1);
  });
});
