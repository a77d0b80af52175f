import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LAYERS } from '#lib/contract/operation.ts';
import { instantFromMs } from '#lib/time/instant.ts';
import { listedSource, observation } from '../conformance/listed-source.ts';
import { readHistoryWindow } from './history-window.ts';

const BOX = { west: 0, south: 0, east: 1, north: 1 };

const observations = fc
  .array(fc.record({ layer: fc.constantFrom(...LAYERS), ms: fc.integer({ min: 0, max: 20 }) }), { maxLength: 60 })
  .map((list) =>
    list.map(({ layer, ms }, index) =>
      observation({ layer, observedAt: instantFromMs(ms), sourceId: `${index}`, lon: 0.5, lat: 0.5 }),
    ),
  );
const window = fc
  .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 20 }))
  .map(([start, length]) => ({ start: instantFromMs(start), end: instantFromMs(start + length) }));

function read(
  list: Parameters<typeof listedSource>[0],
  asked: { window: ReturnType<typeof toWindow>; limit: number; max: number },
) {
  const query = { layer: 'rid' as const, bbox: BOX, window: asked.window, limit: asked.limit };
  return readHistoryWindow(listedSource(list), (id) => `TST-D-${id}`, query, asked.max);
}

function toWindow(start: number, end: number) {
  return { start: instantFromMs(start), end: instantFromMs(end) };
}

test('not truncated means complete; truncated means that the limit or the source window was exceeded', () => {
  fc.assert(
    fc.property(
      observations,
      window,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 40 }),
      (list, window, limit, max) => {
        const inWindow = list.filter(({ observedAt }) => observedAt >= window.start && observedAt < window.end);
        const asked = inWindow.filter(({ layer }) => layer === 'rid');
        const { entries, truncated } = read(list, { window, limit, max });
        expect(truncated).toBe(asked.length > limit || inWindow.length > max);
        expect(entries.length).toBeLessThanOrEqual(Math.min(limit, asked.length));
        if (!truncated) expect(new Set(entries.map((entry) => entry.observation))).toEqual(new Set(asked));
      },
    ),
  );
});

test('what is given has no hole: nothing earlier than the last record is left out', () => {
  fc.assert(
    fc.property(
      observations,
      window,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 40 }),
      (list, window, limit, max) => {
        const { entries } = read(list, { window, limit, max });
        const last = entries.at(-1)?.observation.observedAt;
        if (last === undefined) return;
        const earlier = list.filter(
          ({ layer, observedAt }) => layer === 'rid' && observedAt >= window.start && observedAt < last,
        );
        expect(entries.filter((entry) => entry.observation.observedAt < last).length).toBe(earlier.length);
      },
    ),
  );
});

test('the answer does not depend on the order in which the source gives one instant', () => {
  fc.assert(
    fc.property(observations, fc.integer({ min: 1, max: 30 }), (list, limit) => {
      const asked = { window: toWindow(0, 21), limit, max: 1000 };
      expect(read(list.toReversed(), asked)).toEqual(read(list, asked));
    }),
  );
});
