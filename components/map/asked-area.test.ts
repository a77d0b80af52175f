import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bboxCovers } from '#lib/geo/bbox.ts';
import { anyBbox } from '../../scripts/test/arbitrary-bbox.ts';
import { askedArea } from './asked-area.ts';

const views = fc
  .tuple(anyBbox, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([visible, part]) => ({ visible, middleLatDeg: visible.south + (visible.north - visible.south) * part }));

test('what is asked for covers the view', () => {
  fc.assert(
    fc.property(views, ({ visible, middleLatDeg }) => {
      expect(bboxCovers(askedArea(visible, middleLatDeg), visible)).toBe(true);
    }),
  );
});

test('the map’s middle is the middle of what is asked for, unless the pole is in the way', () => {
  fc.assert(
    fc.property(views, ({ visible, middleLatDeg }) => {
      const { south, north } = askedArea(visible, middleLatDeg);
      fc.pre(south > -90 && north < 90);
      expect((south + north) / 2).toBeCloseTo(middleLatDeg, 6);
    }),
  );
});
