import fc from 'fast-check';
import { tileIdToZxy } from 'pmtiles';
import { expect, test } from 'vitest';
import { tileId } from './tile-id.ts';

const tileAddress = fc
  .integer({ min: 0, max: 20 })
  .chain((z) =>
    fc.tuple(fc.constant(z), fc.integer({ min: 0, max: 2 ** z - 1 }), fc.integer({ min: 0, max: 2 ** z - 1 })),
  );

test('the reader decodes the id to the same tile', () => {
  fc.assert(
    fc.property(tileAddress, ([z, x, y]) => {
      expect(tileIdToZxy(tileId(z, x, y))).toEqual([z, x, y]);
    }),
  );
});

test('addresses outside the world are rejected', () => {
  expect(() => tileId(1, 2, 0)).toThrow(RangeError);
  expect(() => tileId(1, 0, -1)).toThrow(RangeError);
  expect(() => tileId(27, 0, 0)).toThrow(RangeError);
});
