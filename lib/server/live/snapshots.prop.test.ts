import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { type AreaSnapshot, areaOf, coverBox } from './snapshots.ts';

const box = fc
  .tuple(fc.integer({ min: 0, max: 19 }), fc.integer({ min: 0, max: 19 }), fc.nat({ max: 9 }), fc.nat({ max: 9 }))
  .map(([west, south, width, height]): Bbox => ({ west, south, east: west + width + 1, north: south + height + 1 }));

function snapshot(bbox: Bbox, index: number, incomplete: AreaSnapshot['incomplete'] = undefined): AreaSnapshot {
  return {
    area: areaOf('adsb', bbox),
    positions: new Map(),
    fetchedAt: upstreamInstant(1_000_000 - index),
    readAt: upstreamInstant(1_000_000 - index),
    incomplete,
    unreadable: 0,
    sequence: 1,
    name: 'area',
    full: async () => new Uint8Array(),
    bodies: async () => ({ deltas: true, bodies: [] }),
  };
}

const snapshots = fc
  .array(fc.tuple(box, fc.constantFrom(undefined, 'pages_interrupted' as const, 'pages_pending' as const)), {
    maxLength: 6,
  })
  .map((areas) => areas.map(([bbox, incomplete], index) => snapshot(bbox, index, incomplete)));

test('each place is shown by the newest snapshot that covers it, or is missing; pending ones are used only where no other covers it', () => {
  fc.assert(
    fc.property(box, snapshots, (box, newestFirst) => {
      const { parts, missing } = coverBox(box, newestFirst);
      // The centre of each whole degree is on no edge.
      for (let lon = box.west + 0.5; lon < box.east; lon++) {
        for (let lat = box.south + 0.5; lat < box.north; lat++) {
          const shownBy = parts.filter(({ regions }) => regions.some((region) => bboxContains(region, lon, lat)));
          const covering = newestFirst.filter(({ area }) => bboxContains(area.bbox, lon, lat));
          const best = covering.find(({ incomplete }) => incomplete !== 'pages_pending') ?? covering[0];
          expect(shownBy.map((part) => part.snapshot)).toEqual(best ? [best] : []);
          expect(missing.some((region) => bboxContains(region, lon, lat))).toBe(best === undefined);
        }
      }
    }),
  );
});
