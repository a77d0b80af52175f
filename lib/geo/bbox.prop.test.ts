import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyBbox, decimal, longitude } from './arbitrary-bbox.fixture.ts';
import { type Bbox, bboxContains, bboxCovers, formatBbox, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { growByFraction } from './grown-box.ts';
import { parseBbox } from './parse-bbox.ts';

describe('formatBbox and parseBbox', () => {
  test('a formatted box parses back to within a centimetre, and formats to the same text again', () => {
    fc.assert(
      fc.property(anyBbox, (bbox) => {
        const text = formatBbox(bbox);
        const parsed = parseBbox(text);
        expect(parsed.ok).toBe(true);
        if (!parsed.ok) return;
        for (const side of ['west', 'south', 'east', 'north'] as const) {
          expect(Math.abs(parsed.bbox[side] - bbox[side])).toBeLessThanOrEqual(5.1e-8);
        }
        expect(formatBbox(parsed.bbox)).toBe(text);
      }),
    );
  });

  test('never writes an exponent, however small the number', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e-5, max: 1e-5, noNaN: true }), (tiny) => {
        expect(formatBbox({ west: tiny, south: tiny, east: tiny, north: tiny })).not.toMatch(/e/i);
      }),
    );
  });
});

describe('parseBbox', () => {
  test('every accepted box lies within ±180/±90 and has an area', () => {
    const part = fc.oneof(
      longitude.map(String),
      fc.constantFrom('NaN', '1e308', '-181', '90.1', '', ' 1', '0x10', '١'),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 3, maxLength: 5 }), (parts) => {
        const parsed = parseBbox(parts.join(','));
        if (!parsed.ok) return;
        const { west, south, east, north } = parsed.bbox;
        expect(parts).toHaveLength(4);
        expect(Math.max(Math.abs(west), Math.abs(east))).toBeLessThanOrEqual(180);
        expect(Math.max(Math.abs(south), Math.abs(north))).toBeLessThanOrEqual(90);
        expect(lonSpanDeg(parsed.bbox)).toBeGreaterThan(0);
        expect(latSpanDeg(parsed.bbox)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('bboxCovers', () => {
  test('a box covers itself, and a larger box around it covers it but not vice versa', () => {
    fc.assert(
      fc.property(anyBbox, decimal(0.01, 2), (bbox, part) => {
        const grown = growByFraction(bbox, part, 360);
        expect(bboxCovers(bbox, bbox)).toBe(true);
        expect(bboxCovers(grown, bbox)).toBe(true);
        expect(bboxCovers(bbox, grown)).toBe(false);
      }),
    );
  });

  test('no corner of a covered box lies outside', () => {
    fc.assert(
      fc.property(anyBbox, anyBbox, (outer, inner) => {
        if (!bboxCovers(outer, inner)) return;
        for (const lon of [inner.west, inner.east]) {
          expect(bboxContains(outer, lon, inner.south) && bboxContains(outer, lon, inner.north)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('a box covers its own halves, which share its edges', () => {
    fc.assert(
      fc.property(anyBbox, (outer) => {
        const middle = (outer.south + outer.north) / 2;
        const halves: Bbox[] = [
          { ...outer, north: middle },
          { ...outer, south: middle },
        ];
        if (outer.west < outer.east) {
          const split = (outer.west + outer.east) / 2;
          halves.push({ ...outer, east: split }, { ...outer, west: split });
        }
        for (const half of halves) expect(bboxCovers(outer, half)).toBe(true);
      }),
    );
  });
});
