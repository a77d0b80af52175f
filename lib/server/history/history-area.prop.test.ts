import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { bboxCovers, joinAtAntimeridian, latSpanDeg, lonSpanDeg, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { isWide, middleBoxes } from './history-area.ts';

const area = fc
  .record({
    west: fc.double({ min: -180, max: 179.9, noNaN: true }),
    south: fc.double({ min: -89, max: 84, noNaN: true }),
    width: fc.double({ min: 0.01, max: HISTORY_MAX_SPAN_DEG, noNaN: true }),
    height: fc.double({ min: 0.01, max: HISTORY_MAX_SPAN_DEG, noNaN: true }),
  })
  .map(({ west, south, width, height }) => {
    const east = west + width;
    return { west, south, east: east > 180 ? east - 360 : east, north: south + height };
  })
  .filter((bbox) => !isWide(bbox));

test('the loaded boxes cover the area, and each is small enough for one request', () => {
  fc.assert(
    fc.property(area, (bbox) => {
      const boxes = middleBoxes(bbox);
      for (const part of splitAtAntimeridian(bbox)) expect(boxes.some((box) => bboxCovers(box, part))).toBe(true);
      for (const box of boxes)
        expect(Math.max(lonSpanDeg(box), latSpanDeg(box))).toBeLessThanOrEqual(HISTORY_MAX_SPAN_DEG);
    }),
  );
});

test('a link to a loaded area loads the same boxes, without further requests', () => {
  fc.assert(
    fc.property(area, (bbox) => {
      const boxes = middleBoxes(bbox);
      const [box] = boxes;
      const linked = boxes.length === 1 && box ? box : joinAtAntimeridian(boxes);
      fc.pre(linked !== undefined && !isWide(linked));
      expect(middleBoxes(linked as typeof bbox)).toEqual(boxes);
    }),
  );
});
