import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { decimal } from './arbitrary-bbox.fixture.ts';
import { bboxCovers, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { growToGrid } from './grow-to-grid.ts';

const maxSpanDeg = LIVE_MAX_SPAN_DEG;

const requestable = fc
  .record({
    west: decimal(-180, 179.9999),
    south: decimal(-90, 89.9999),
    width: fc.double({ min: 1e-4, max: maxSpanDeg, noNaN: true }),
    height: fc.double({ min: 1e-4, max: maxSpanDeg, noNaN: true }),
  })
  .map(({ west, south, width, height }) => ({
    west,
    south,
    east: Math.min(180, west + width),
    north: Math.min(90, south + height),
  }))
  .filter((bbox) => lonSpanDeg(bbox) <= maxSpanDeg && latSpanDeg(bbox) <= maxSpanDeg);

describe('growToGrid', () => {
  test('covers the box, stays within ±180/±90 and within the limit', () => {
    fc.assert(
      fc.property(requestable, (box) => {
        const grown = growToGrid(box, maxSpanDeg);
        expect(bboxCovers(grown, box)).toBe(true);
        expect(Math.min(grown.west + 180, 180 - grown.east, grown.south + 90, 90 - grown.north)).toBeGreaterThanOrEqual(
          0,
        );
        expect(lonSpanDeg(grown)).toBeLessThanOrEqual(maxSpanDeg);
        expect(latSpanDeg(grown)).toBeLessThanOrEqual(maxSpanDeg);
        expect(grown.west).toBeLessThan(grown.east);
      }),
      // Divided by the step, it would be 0.
      { examples: [[{ west: -Number.MIN_VALUE, south: -Number.MIN_VALUE, east: 8, north: 8 }]] },
    );
  });

  test('equal boxes give equal areas', () => {
    fc.assert(
      fc.property(requestable, (box) => {
        expect(growToGrid({ ...box }, maxSpanDeg)).toEqual(growToGrid(box, maxSpanDeg));
      }),
    );
  });

  test('views that differ by a few metres share one area', () => {
    const nudge = fc.double({ min: -1e-4, max: 1e-4, noNaN: true });
    const area = growToGrid({ west: 8.3, south: 47.1, east: 8.9, north: 47.6 }, maxSpanDeg);
    fc.assert(
      fc.property(nudge, nudge, (lonDeg, latDeg) => {
        const nudged = { west: 8.3 + lonDeg, south: 47.1 + latDeg, east: 8.9 + lonDeg, north: 47.6 + latDeg };
        expect(growToGrid(nudged, maxSpanDeg)).toEqual(area);
      }),
    );
  });

  test('grows by at most a quarter of its longer side at each edge', () => {
    fc.assert(
      fc.property(requestable, (box) => {
        const maxGrowthDeg = Math.max(lonSpanDeg(box), latSpanDeg(box)) / 4 + 2 ** -6;
        const grown = growToGrid(box, maxGrowthDeg);
        expect(box.west - grown.west).toBeLessThanOrEqual(maxGrowthDeg);
        expect(grown.east - box.east).toBeLessThanOrEqual(maxGrowthDeg);
        expect(box.south - grown.south).toBeLessThanOrEqual(maxGrowthDeg);
        expect(grown.north - box.north).toBeLessThanOrEqual(maxGrowthDeg);
      }),
    );
  });

  test('on a finer grid it grows less, and still covers the box', () => {
    fc.assert(
      fc.property(requestable, fc.integer({ min: 0, max: 8 }), (box, halvings) => {
        const finer = growToGrid(box, maxSpanDeg, halvings + 1);
        expect(bboxCovers(finer, box)).toBe(true);
        expect(lonSpanDeg(finer)).toBeLessThanOrEqual(maxSpanDeg);
        expect(latSpanDeg(finer)).toBeLessThanOrEqual(maxSpanDeg);
        const coarser = growToGrid(box, maxSpanDeg, halvings);
        if (coarser.west !== box.west && coarser.east !== box.east) {
          expect(lonSpanDeg(finer)).toBeLessThanOrEqual(lonSpanDeg(coarser));
        }
      }),
    );
  });
});
