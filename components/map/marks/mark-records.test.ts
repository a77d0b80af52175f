import { expect, test } from 'vitest';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { MARK_COASTED, MARK_EMERGENCY, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import { makePicture, type Picture } from '#lib/picture/picture.ts';
import { HEADING_UNKNOWN, headingSteps, MARK_TEXELS, makeMarkRecords } from './mark-records.ts';

function pictureOf(styles: readonly number[], capacity = styles.length): Picture {
  const picture = makePicture(capacity);
  picture.count = styles.length;
  styles.forEach((style, index) => {
    picture.style[index] = style;
    picture.slot[index] = 100 + index;
    picture.mercatorX[index] = index / 10;
    picture.headingDeg[index] = index;
  });
  return picture;
}

test('coasted marks are drawn first, then current ones, emergencies, and selected ones on top', () => {
  const marks = makeMarkRecords();
  marks.pack(pictureOf([MARK_SELECTED, 0, MARK_EMERGENCY, MARK_COASTED, FLAG_DRONE, MARK_COASTED | MARK_SELECTED]));
  const order = Array.from({ length: marks.count() }, (_, place) => marks.indexAt(place));
  expect(order).toEqual([3, 1, 4, 2, 0, 5]);
  expect(order.map((_, place) => marks.slotAt(place))).toEqual([103, 101, 104, 102, 100, 105]);
});

test('a mark carries its position in double precision, its colour, opacity, style and heading', () => {
  const picture = pictureOf([0, FLAG_DRONE]);
  picture.mercatorX[1] = 0.523456789012;
  picture.mercatorY[1] = 0.3512345678901;
  picture.headingDeg[1] = 271.5;
  picture.colour.set([10, 20, 30, 200], 4);
  const marks = makeMarkRecords();
  marks.pack(picture);
  expect(marks.mercatorXAt(1)).toBeCloseTo(0.523456789012, 14);
  expect(marks.mercatorYAt(1)).toBeCloseTo(0.3512345678901, 14);
  const [colour = 0, look = 0] = marks.words().subarray(4 * MARK_TEXELS + 4);
  expect([colour & 0xff, (colour >> 8) & 0xff, (colour >> 16) & 0xff, colour >>> 24]).toEqual([10, 20, 30, 200]);
  expect(look & 0xffff).toBe(FLAG_DRONE);
  expect((look >>> 16) / 128).toBe(271.5);
});

test('an unreported heading is not north', () => {
  expect(headingSteps(Number.NaN)).toBe(HEADING_UNKNOWN);
  expect(headingSteps(0)).toBe(0);
});

test('a heading outside 0…360 is stored within 1/256 of a degree and never reads as unreported', () => {
  for (const deg of [-720.3, -0.001, 0, 180, 359.999, 360, 1000.25]) {
    const kept = headingSteps(deg) / 128;
    expect(kept).toBeGreaterThanOrEqual(0);
    expect(kept).toBeLessThanOrEqual(360);
    const offDeg = Math.abs(((((kept - deg) % 360) + 540) % 360) - 180);
    expect(offDeg).toBeLessThanOrEqual(1 / 256 + 1e-9);
  }
});

test('the buffer is reused for each picture, and grows once for a larger one', () => {
  const marks = makeMarkRecords();
  marks.pack(pictureOf([0, 0], 50));
  const words = marks.words();
  marks.pack(pictureOf(Array.from({ length: 50 }, () => 0)));
  expect(marks.words()).toBe(words);
  marks.pack(pictureOf([0], 50));
  expect(marks.words()).toBe(words);
  expect(marks.count()).toBe(1);
  marks.pack(pictureOf(Array.from({ length: 51 }, () => 0)));
  expect(marks.capacity()).toBe(51);
  expect(marks.indexAt(50)).toBe(50);
});
