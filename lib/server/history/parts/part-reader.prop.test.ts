import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, compareInstants, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowContains } from '#lib/time/window.ts';
import { cachedPieces } from './part-reader.ts';

const bbox = { west: 8, south: 47, east: 9, north: 48 };

const window: fc.Arbitrary<Window> = fc
  .record({ start: fc.integer({ min: 0, max: 60 }), length: fc.integer({ min: 1, max: 20 }) })
  .map(({ start, length }) => ({ start: upstreamInstant(start), end: upstreamInstant(start + length) }));
const parts = fc.array(
  window.map((window) => ({ bbox, window, records: 1 })),
  { maxLength: 12 },
);

test('pieces cover each cached instant of the window exactly once, each within its part', () => {
  fc.assert(
    fc.property(window, parts, (window, cached) => {
      const pieces = cachedPieces(window, cached);
      for (let at = window.start; at < window.end; at = addMs(at, 1)) {
        const isCached = cached.some((part) => windowContains(part.window, at));
        expect(pieces.filter((piece) => windowContains(piece.window, at))).toHaveLength(isCached ? 1 : 0);
      }
      for (const piece of pieces) {
        expect(piece.window.start).toBeGreaterThanOrEqual(
          Math.max(epochMs(window.start), epochMs(piece.part.window.start)),
        );
        expect(piece.window.end).toBeLessThanOrEqual(Math.min(epochMs(window.end), epochMs(piece.part.window.end)));
      }
      expect(pieces).toEqual(pieces.toSorted((a, b) => compareInstants(a.window.start, b.window.start)));
    }),
  );
});

test('of overlapping parts the furthest-reaching ones are used, so that few are cut', () => {
  const of = (start: number, end: number) => ({
    bbox,
    window: { start: upstreamInstant(start), end: upstreamInstant(end) },
    records: 1,
  });
  const [long, inside, next] = [of(0, 30), of(10, 20), of(25, 50)];
  expect(cachedPieces(of(0, 50).window, [inside, next, long])).toEqual([
    { part: long, window: of(0, 30).window },
    { part: next, window: of(30, 50).window },
  ]);
});
