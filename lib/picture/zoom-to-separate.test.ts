import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makePicture } from './picture.ts';
import { zoomToSeparate } from './zoom-to-separate.ts';

const TERMS = { zoom: 7, apartPx: 40, maxZoom: 14 };

function pictureOf(places: readonly (readonly [number, number])[]) {
  const picture = makePicture(places.length);
  picture.count = places.length;
  for (const [index, [x, y]] of places.entries()) {
    picture.slot[index] = index + 100;
    picture.mercatorX[index] = x;
    picture.mercatorY[index] = y;
  }
  return picture;
}

test('a mark that stands alone needs no zoom, and one at the same place as another can have none', () => {
  expect(zoomToSeparate(pictureOf([[0.5, 0.3]]), 100, TERMS)).toBe(7);
  expect(
    zoomToSeparate(
      pictureOf([
        [0.5, 0.3],
        [0.5, 0.3],
      ]),
      100,
      TERMS,
    ),
  ).toBe(7);
  expect(zoomToSeparate(pictureOf([[0.5, 0.3]]), 1, TERMS)).toBe(7);
});

test('at the zoom that is found, the nearest other mark is far enough away, also across 180°', () => {
  const place = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.2, max: 0.8, noNaN: true }));
  fc.assert(
    fc.property(fc.array(place, { minLength: 2, maxLength: 30 }), (places) => {
      const picture = pictureOf(places);
      const zoom = zoomToSeparate(picture, 100, TERMS);
      expect(zoom).toBeGreaterThanOrEqual(7);
      expect(zoom).toBeLessThanOrEqual(14);
      if (zoom === 14) return;
      for (let index = 1; index < picture.count; index++) {
        const across = Math.abs(picture.mercatorX[index]! - picture.mercatorX[0]!);
        const distance = Math.hypot(Math.min(across, 1 - across), picture.mercatorY[index]! - picture.mercatorY[0]!);
        if (distance > 1e-8) expect(distance * 512 * 2 ** zoom).toBeGreaterThanOrEqual(40 - 1e-6);
      }
    }),
  );
});
