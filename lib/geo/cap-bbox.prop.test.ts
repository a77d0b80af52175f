import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { upstreamLiveQuery } from '#lib/contract/query.ts';
import { anyBbox, latitude, longitude } from './arbitrary-bbox.fixture.ts';
import { type Bbox, bboxCovers, formatBbox, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { capBbox } from './cap-bbox.ts';
import { growToGrid } from './grow-to-grid.ts';
import { wrapLongitude } from './longitude.ts';
import { splitAtAntimeridian } from './split-at-antimeridian.ts';

const maxDeg = LIVE_MAX_SPAN_DEG;

/** The longitude of the middle, as an angle from the western edge of `of`. */
const middleFrom = (of: Bbox, bbox: Bbox) => ((bbox.west - of.west + 360) % 360) + lonSpanDeg(bbox) / 2;

describe('capBbox', () => {
  test('no side is over the limit, and none is cut shorter than needs be', () => {
    fc.assert(
      fc.property(anyBbox, (asked) => {
        const { bbox } = capBbox(asked, maxDeg);
        expect(lonSpanDeg(bbox)).toBeLessThanOrEqual(maxDeg);
        expect(latSpanDeg(bbox)).toBeLessThanOrEqual(maxDeg);
        expect(lonSpanDeg(bbox)).toBeGreaterThan(Math.min(lonSpanDeg(asked), maxDeg) - 0.02);
        expect(latSpanDeg(bbox)).toBeGreaterThan(Math.min(latSpanDeg(asked), maxDeg) - 0.02);
      }),
    );
  });

  test('what is watched lies inside what was asked, around the same middle', () => {
    fc.assert(
      fc.property(anyBbox, (asked) => {
        const { bbox } = capBbox(asked, maxDeg);
        expect(bboxCovers(asked, bbox)).toBe(true);
        expect(Math.abs(middleFrom(asked, bbox) - lonSpanDeg(asked) / 2)).toBeLessThan(0.01);
        expect(Math.abs((bbox.south + bbox.north - asked.south - asked.north) / 2)).toBeLessThan(0.01);
      }),
    );
  });

  test('a cut side lies around a centre that is named, and where a pole is too near, up to that pole', () => {
    fc.assert(
      fc.property(anyBbox, longitude, latitude, (asked, lon, lat) => {
        const { bbox } = capBbox(asked, maxDeg, { lon, lat });
        if (lonSpanDeg(asked) > maxDeg) {
          expect(Math.abs(wrapLongitude(bbox.west + lonSpanDeg(bbox) / 2 - lon))).toBeLessThan(0.01);
          expect(lonSpanDeg(bbox)).toBeGreaterThan(maxDeg - 0.02);
        } else expect(bbox).toMatchObject({ west: asked.west, east: asked.east });
        if (latSpanDeg(asked) > maxDeg) {
          const nearestDeg = Math.max(-75, Math.min(75, lat));
          expect(Math.abs((bbox.south + bbox.north) / 2 - nearestDeg)).toBeLessThan(0.01);
          expect(latSpanDeg(bbox)).toBeGreaterThan(maxDeg - 0.02);
          expect(Math.max(-bbox.south, bbox.north)).toBeLessThanOrEqual(90);
        } else expect(bbox).toMatchObject({ south: asked.south, north: asked.north });
      }),
    );
  });

  test('says that it capped exactly where it changed something, and a second time changes nothing', () => {
    fc.assert(
      fc.property(anyBbox, (asked) => {
        const { bbox, capped } = capBbox(asked, maxDeg);
        expect(capped).toBe(lonSpanDeg(asked) > maxDeg || latSpanDeg(asked) > maxDeg);
        if (!capped) expect(bbox).toBe(asked);
        expect(capBbox(bbox, maxDeg)).toEqual({ bbox, capped: false });
      }),
    );
  });

  test('a viewport of any size, capped, split, grown and written down, is within the limits of the contract', () => {
    fc.assert(
      fc.property(anyBbox, (asked) => {
        for (const piece of splitAtAntimeridian(capBbox(asked, maxDeg).bbox)) {
          expect(upstreamLiveQuery(undefined).safeParse({ bbox: formatBbox(growToGrid(piece, maxDeg)) }).success).toBe(
            true,
          );
        }
      }),
    );
  });

  test('the whole world is capped around 0, 0', () => {
    const world = { west: -180, south: -90, east: 180, north: 90 };
    expect(capBbox(world, maxDeg)).toEqual({ bbox: { west: -15, south: -15, east: 15, north: 15 }, capped: true });
  });

  test('a capped box that only touches 180° does not cross it', () => {
    const { bbox } = capBbox({ west: 120, south: 0, east: -150, north: 10 }, maxDeg);
    expect(bbox).toMatchObject({ west: 150, east: 180 });
  });
});
