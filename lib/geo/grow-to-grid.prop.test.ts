import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { decimal } from './arbitrary-bbox.fixture.ts';
import { bboxCovers, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { growToGrid } from './grow-to-grid.ts';

const maxDeg = LIVE_MAX_SPAN_DEG;

/** Boxes that the upstream takes, from a few metres to the limit, also at the edges of the world. */
const askable = fc
  .record({
    west: decimal(-180, 179.9999),
    south: decimal(-90, 89.9999),
    width: fc.double({ min: 1e-4, max: maxDeg, noNaN: true }),
    height: fc.double({ min: 1e-4, max: maxDeg, noNaN: true }),
  })
  .map(({ west, south, width, height }) => ({
    west,
    south,
    east: Math.min(180, west + width),
    north: Math.min(90, south + height),
  }))
  .filter((bbox) => lonSpanDeg(bbox) <= maxDeg && latSpanDeg(bbox) <= maxDeg);

describe('growToGrid', () => {
  test('covers what was asked, inside the world, within the limit', () => {
    fc.assert(
      fc.property(askable, (asked) => {
        const grown = growToGrid(asked, maxDeg);
        expect(bboxCovers(grown, asked)).toBe(true);
        expect(Math.min(grown.west + 180, 180 - grown.east, grown.south + 90, 90 - grown.north)).toBeGreaterThanOrEqual(
          0,
        );
        expect(lonSpanDeg(grown)).toBeLessThanOrEqual(maxDeg);
        expect(latSpanDeg(grown)).toBeLessThanOrEqual(maxDeg);
        expect(grown.west).toBeLessThan(grown.east);
      }),
    );
  });

  test('the same box gives the same area', () => {
    fc.assert(
      fc.property(askable, (asked) => {
        expect(growToGrid({ ...asked }, maxDeg)).toEqual(growToGrid(asked, maxDeg));
      }),
    );
  });

  test('views that differ by a few metres around one place share one area', () => {
    const nudge = fc.double({ min: -1e-4, max: 1e-4, noNaN: true });
    const area = growToGrid({ west: 8.3, south: 47.1, east: 8.9, north: 47.6 }, maxDeg);
    fc.assert(
      fc.property(nudge, nudge, (lonDeg, latDeg) => {
        const nudged = { west: 8.3 + lonDeg, south: 47.1 + latDeg, east: 8.9 + lonDeg, north: 47.6 + latDeg };
        expect(growToGrid(nudged, maxDeg)).toEqual(area);
      }),
    );
  });

  test('grows by at most a quarter of its longer side at each edge', () => {
    fc.assert(
      fc.property(askable, (asked) => {
        const maxDeg = Math.max(lonSpanDeg(asked), latSpanDeg(asked)) / 4 + 2 ** -6;
        const grown = growToGrid(asked, maxDeg);
        expect(asked.west - grown.west).toBeLessThanOrEqual(maxDeg);
        expect(grown.east - asked.east).toBeLessThanOrEqual(maxDeg);
        expect(asked.south - grown.south).toBeLessThanOrEqual(maxDeg);
        expect(grown.north - asked.north).toBeLessThanOrEqual(maxDeg);
      }),
    );
  });

  test('on a finer grid it grows by less, and still covers what was asked', () => {
    fc.assert(
      fc.property(askable, fc.integer({ min: 0, max: 8 }), (asked, halvings) => {
        const finer = growToGrid(asked, maxDeg, halvings + 1);
        expect(bboxCovers(finer, asked)).toBe(true);
        expect(lonSpanDeg(finer)).toBeLessThanOrEqual(maxDeg);
        expect(latSpanDeg(finer)).toBeLessThanOrEqual(maxDeg);
        const coarser = growToGrid(asked, maxDeg, halvings);
        // A side that stayed as it was, because it would have passed the limit, may grow on the finer grid.
        if (coarser.west !== asked.west && coarser.east !== asked.east) {
          expect(lonSpanDeg(finer)).toBeLessThanOrEqual(lonSpanDeg(coarser));
        }
      }),
    );
  });
});
