import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED } from './mark-style.ts';
import { emergencyNumber, nextEmergency, zoomToSeparate } from './next-emergency.ts';
import { makePicture } from './picture.ts';

const drawn = (...marks: readonly (readonly [slot: number, style: number])[]) => ({
  slot: Uint32Array.from(marks, ([slot]) => slot),
  style: Uint16Array.from(marks, ([, style]) => style),
  emergencies: marks.flatMap(([, style], index) => (style & MARK_EMERGENCY ? [index] : [])),
});
const picture = drawn(
  [2, MARK_EMERGENCY | FLAG_SIMULATED],
  [3, 0],
  [5, MARK_EMERGENCY | MARK_EXPIRED],
  [7, MARK_EMERGENCY],
  [8, MARK_EMERGENCY | FLAG_TEST],
  [9, MARK_EMERGENCY],
);

describe('nextEmergency', () => {
  it('visits each emergency once, real ones first and simulated ones last, and then begins again', () => {
    const visited: (number | undefined)[] = [];
    let slot: number | undefined;
    for (let press = 0; press < 6; press++) {
      slot = nextEmergency(picture, slot);
      visited.push(slot);
    }
    expect(visited).toEqual([7, 9, 5, 8, 2, 7]);
    expect(visited.map((at) => emergencyNumber(picture, at))).toEqual([1, 2, 3, 4, 5, 1]);
    expect(emergencyNumber(picture, 3)).toBeUndefined();
  });

  it('begins with the most urgent one while something else is selected', () => {
    expect(nextEmergency(picture, 3)).toBe(7);
    expect(nextEmergency(picture, 99)).toBe(7);
  });

  it('finds nothing without an emergency', () => {
    expect(nextEmergency(drawn([1, 0]), undefined)).toBeUndefined();
    expect(nextEmergency(drawn(), 1)).toBeUndefined();
  });
});

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
