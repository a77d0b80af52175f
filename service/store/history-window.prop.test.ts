import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LAYERS } from '#lib/contract/operation.ts';
import { compareInstants, upstreamInstant } from '#lib/time/instant.ts';
import { windowContains } from '#lib/time/window.ts';
import { listedSource, observation } from '../conformance/listed-source.ts';
import { historyTimes, type Observation, type Source } from '../sources/observation.ts';
import { type HistoryRead, readHistoryWindow } from './history-window.ts';

const BOX = { west: 0, south: 0, east: 1, north: 1 };

const observations = fc
  .array(fc.record({ layer: fc.constantFrom(...LAYERS), ms: fc.integer({ min: 0, max: 20 }) }), { maxLength: 60 })
  .map((list) =>
    list.map(({ layer, ms }, index) =>
      observation({ layer, observedAt: upstreamInstant(ms), sourceId: `${index}`, lon: 0.5, lat: 0.5 }),
    ),
  );
const window = fc
  .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 20 }))
  .map(([start, length]) => ({ start: upstreamInstant(start), end: upstreamInstant(start + length) }));
const limit = fc.integer({ min: 1, max: 30 });
const sourceMax = fc.integer({ min: 1, max: 40 });
const asked = [observations, window, limit, sourceMax] as const;

function read(
  list: Parameters<typeof listedSource>[0],
  request: { window: ReturnType<typeof toWindow>; limit: number; max: number },
) {
  const query = { layer: 'rid' as const, bbox: BOX, window: request.window, limit: request.limit };
  return readHistoryWindow(listedSource(list), (id) => `TST-D-${id}`, query, request.max);
}

function toWindow(start: number, end: number) {
  return { start: upstreamInstant(start), end: upstreamInstant(end) };
}

test('not truncated means complete; truncated means that the limit or the source window was exceeded', async () => {
  await fc.assert(
    fc.asyncProperty(...asked, async (list, window, limit, max) => {
      const inWindow = list.filter(({ observedAt }) => observedAt >= window.start && observedAt < window.end);
      const ofLayer = inWindow.filter(({ layer }) => layer === 'rid');
      const { entries, truncated } = await read(list, { window, limit, max });
      expect(truncated).toBe(ofLayer.length > limit || inWindow.length > max);
      expect(entries.length).toBeLessThanOrEqual(Math.min(limit, ofLayer.length));
      if (!truncated) expect(new Set(entries.map((entry) => entry.observation))).toEqual(new Set(ofLayer));
    }),
  );
});

test('the records have no hole: nothing earlier than the last record is left out', async () => {
  await fc.assert(
    fc.asyncProperty(...asked, async (list, window, limit, max) => {
      const { entries } = await read(list, { window, limit, max });
      const last = entries.at(-1)?.observation.observedAt;
      if (last === undefined) return;
      const earlier = list.filter(
        ({ layer, observedAt }) => layer === 'rid' && observedAt >= window.start && observedAt < last,
      );
      expect(entries.filter((entry) => entry.observation.observedAt < last).length).toBe(earlier.length);
    }),
  );
});

test('the answer does not depend on the order in which the source returns observations of one instant', async () => {
  await fc.assert(
    fc.asyncProperty(observations, fc.integer({ min: 1, max: 30 }), async (list, limit) => {
      const request = { window: toWindow(0, 21), limit, max: 1000 };
      expect(await read(list.toReversed(), request)).toEqual(await read(list, request));
    }),
  );
});

test('the answer equals reading everything, cutting it to the source window, and filtering by layer', async () => {
  const dense = fc
    .array(fc.record({ layer: fc.constantFrom(...LAYERS), ms: fc.integer({ min: 0, max: 6 }) }), { maxLength: 80 })
    .map((list) =>
      list.map(({ layer, ms }, index) =>
        observation({ layer, observedAt: upstreamInstant(ms), sourceId: `${(index * 37) % 101}`, lon: 0.5, lat: 0.5 }),
      ),
    );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(observations, dense),
      window,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      async (list, window, limit, max, knowsTimes) => {
        const source: Source = listedSource(list);
        if (knowsTimes) source.historyTimes = (...request) => historyTimes(listedSource(list), ...request);
        const request = { layer: 'rid' as const, bbox: BOX, window, limit };
        expect(await readHistoryWindow(source, referenceOf, request, max)).toEqual(readEverything(list, request, max));
      },
    ),
    { numRuns: 2000 },
  );
});

function referenceOf(id: string): string {
  return `TST-D-${id.padStart(3, '0')}`;
}

function readEverything(list: readonly Observation[], { layer, window, limit }: HistoryRead, max: number) {
  const inWindow = list
    .filter(({ observedAt }) => windowContains(window, observedAt))
    .sort(
      (a, b) => compareInstants(a.observedAt, b.observedAt) || Number(b.layer === layer) - Number(a.layer === layer),
    );
  const inReach = inWindow.slice(0, max).filter((each) => each.layer === layer);
  const entries = inReach
    .map((each) => ({ reference: referenceOf(each.sourceId), observation: each }))
    .sort(
      (a, b) =>
        compareInstants(a.observation.observedAt, b.observation.observedAt) || (a.reference < b.reference ? -1 : 1),
    );
  return {
    entries: entries.slice(0, limit),
    truncated: inWindow.length > max || inWindow.filter((each) => each.layer === layer).length > limit,
  };
}
