import fc from 'fast-check';
import { expect, it } from 'vitest';
import { allotAircraft } from '../aircraft/aircraft-allotment.ts';
import { aircraftTrack } from '../aircraft/aircraft-track.ts';
import { extentsTouch } from './extent.ts';
import { indexTracks } from './track-index.ts';

const tracks = allotAircraft(4, 600).map((task, index) => aircraftTrack(4, index, task));
const forEachNear = indexTracks(tracks);

// Whole degrees, so that edges often lie on the edges of cells; west > east crosses 180°.
const bbox = fc
  .record({
    west: fc.integer({ min: -180, max: 180 }),
    east: fc.integer({ min: -180, max: 180 }),
    south: fc.integer({ min: -90, max: 89 }),
    height: fc.integer({ min: 1, max: 180 }),
  })
  .map(({ west, east, south, height }) => ({ west, east, south, north: Math.min(90, south + height) }));

it('finds the same tracks in a box as a check of every track, in the same order', () => {
  fc.assert(
    fc.property(bbox, (box) => {
      const found: number[] = [];
      forEachNear(box, (index) => found.push(index));
      const expected = tracks.flatMap(({ extents }, index) =>
        extents.some((extent) => extentsTouch(extent, box)) ? [index] : [],
      );
      expect(found).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
