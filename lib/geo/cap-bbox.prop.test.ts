import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { upstreamLiveQuery } from '#lib/contract/query.ts';
import { anyBbox, latitude, longitude } from './arbitrary-bbox.fixture.ts';
import { type Bbox, bboxCovers, formatBbox, latSpanDeg, lonSpanDeg, splitAtAntimeridian } from './bbox.ts';
import { capBbox } from './cap-bbox.ts';
import { growToGrid } from './grown-box.ts';
import { wrapLongitude } from './longitude.ts';

const maxSpanDeg = LIVE_MAX_SPAN_DEG;

const middleFrom = (of: Bbox, bbox: Bbox) => ((bbox.west - of.west + 360) % 360) + lonSpanDeg(bbox) / 2;

describe('capBbox', () => {
  test('no side exceeds the limit, and none is shorter than necessary', () => {
    fc.assert(
      fc.property(anyBbox, (requested) => {
        const { bbox } = capBbox(requested, maxSpanDeg);
        expect(lonSpanDeg(bbox)).toBeLessThanOrEqual(maxSpanDeg);
        expect(latSpanDeg(bbox)).toBeLessThanOrEqual(maxSpanDeg);
        expect(lonSpanDeg(bbox)).toBeGreaterThan(Math.min(lonSpanDeg(requested), maxSpanDeg) - 0.02);
        expect(latSpanDeg(bbox)).toBeGreaterThan(Math.min(latSpanDeg(requested), maxSpanDeg) - 0.02);
      }),
    );
  });

  test('the result lies inside the input, around the same middle', () => {
    fc.assert(
      fc.property(anyBbox, (requested) => {
        const { bbox } = capBbox(requested, maxSpanDeg);
        expect(bboxCovers(requested, bbox)).toBe(true);
        expect(Math.abs(middleFrom(requested, bbox) - lonSpanDeg(requested) / 2)).toBeLessThan(0.01);
        expect(Math.abs((bbox.south + bbox.north - requested.south - requested.north) / 2)).toBeLessThan(0.01);
      }),
    );
  });

  test('a shortened side is centred on the given centre, or ends at a pole that is too close', () => {
    fc.assert(
      fc.property(anyBbox, longitude, latitude, (requested, lon, lat) => {
        const { bbox } = capBbox(requested, maxSpanDeg, { lon, lat });
        if (lonSpanDeg(requested) > maxSpanDeg) {
          expect(Math.abs(wrapLongitude(bbox.west + lonSpanDeg(bbox) / 2 - lon))).toBeLessThan(0.01);
          expect(lonSpanDeg(bbox)).toBeGreaterThan(maxSpanDeg - 0.02);
        } else expect(bbox).toMatchObject({ west: requested.west, east: requested.east });
        if (latSpanDeg(requested) > maxSpanDeg) {
          const nearestDeg = Math.max(-75, Math.min(75, lat));
          expect(Math.abs((bbox.south + bbox.north) / 2 - nearestDeg)).toBeLessThan(0.01);
          expect(latSpanDeg(bbox)).toBeGreaterThan(maxSpanDeg - 0.02);
          expect(Math.max(-bbox.south, bbox.north)).toBeLessThanOrEqual(90);
        } else expect(bbox).toMatchObject({ south: requested.south, north: requested.north });
      }),
    );
  });

  test('reports `capped` exactly if it changed the box, and is idempotent', () => {
    fc.assert(
      fc.property(anyBbox, (requested) => {
        const { bbox, capped } = capBbox(requested, maxSpanDeg);
        expect(capped).toBe(lonSpanDeg(requested) > maxSpanDeg || latSpanDeg(requested) > maxSpanDeg);
        if (!capped) expect(bbox).toBe(requested);
        expect(capBbox(bbox, maxSpanDeg)).toEqual({ bbox, capped: false });
      }),
    );
  });

  test('any viewport, capped, split, grown and formatted, is within the limits of the contract', () => {
    fc.assert(
      fc.property(anyBbox, (requested) => {
        for (const piece of splitAtAntimeridian(capBbox(requested, maxSpanDeg).bbox)) {
          expect(
            upstreamLiveQuery(undefined).safeParse({ bbox: formatBbox(growToGrid(piece, maxSpanDeg)) }).success,
          ).toBe(true);
        }
      }),
    );
  });

  test('the whole world is capped around 0, 0', () => {
    const world = { west: -180, south: -90, east: 180, north: 90 };
    expect(capBbox(world, maxSpanDeg)).toEqual({ bbox: { west: -15, south: -15, east: 15, north: 15 }, capped: true });
  });

  test('a capped box that only touches 180° does not cross it', () => {
    const { bbox } = capBbox({ west: 120, south: 0, east: -150, north: 10 }, maxSpanDeg);
    expect(bbox).toMatchObject({ west: 150, east: 180 });
  });
});
