import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { instantFromMs } from '#lib/time/instant.ts';
import type { AreaSnapshot } from '../ports/snapshots.ts';
import { coverBox } from './cover-box.ts';
import { areaOf } from './live-plan.ts';

const box = fc
  .tuple(fc.integer({ min: 0, max: 19 }), fc.integer({ min: 0, max: 19 }), fc.nat({ max: 9 }), fc.nat({ max: 9 }))
  .map(([west, south, width, height]): Bbox => ({ west, south, east: west + width + 1, north: south + height + 1 }));

function snapshot(bbox: Bbox, index: number): AreaSnapshot {
  return {
    area: areaOf('adsb', bbox),
    positions: new Map(),
    fetchedAt: instantFromMs(1_000_000 - index),
    incomplete: undefined,
    unreadable: 0,
    sequence: 1,
  };
}

test('each place of a box is shown by the newest snapshot that covers it, once, or is missing', () => {
  fc.assert(
    fc.property(box, fc.array(box, { maxLength: 6 }), (asked, areas) => {
      const snapshots = areas.map(snapshot);
      const { parts, missing } = coverBox(asked, snapshots);
      // The middle of each whole degree lies on no edge.
      for (let lon = asked.west + 0.5; lon < asked.east; lon++) {
        for (let lat = asked.south + 0.5; lat < asked.north; lat++) {
          const shownBy = parts.filter(({ regions }) => regions.some((region) => bboxContains(region, lon, lat)));
          const newest = snapshots.find(({ area }) => bboxContains(area.bbox, lon, lat));
          expect(shownBy.map((part) => part.snapshot)).toEqual(newest ? [newest] : []);
          expect(missing.some((region) => bboxContains(region, lon, lat))).toBe(newest === undefined);
        }
      }
    }),
  );
});
