import { describe, expect, test } from 'vitest';
import { FLAG_DRONE, FLAG_SIMULATED } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED, MARK_SELECTED } from '#lib/picture/mark-style.ts';
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

test('expired marks are drawn first, then current ones, drones above aircraft, selected ones, and emergencies on top', () => {
  const marks = makeMarkRecords();
  const expiredDrone = FLAG_DRONE | MARK_EXPIRED;
  marks.pack(
    pictureOf([MARK_SELECTED, FLAG_DRONE, MARK_EMERGENCY, MARK_EXPIRED, 0, MARK_EXPIRED | MARK_SELECTED, expiredDrone]),
  );
  const order = Array.from({ length: marks.count() }, (_, place) => marks.indexAt(place));
  expect(order).toEqual([3, 4, 6, 1, 0, 5, 2]);
  expect(order.map((_, place) => marks.slotAt(place))).toEqual([103, 104, 106, 101, 100, 105, 102]);
  expect([marks.plainAircraft(), marks.plainDrones()]).toEqual([2, 2]);
});

test('simulated marks are striped only if there are others', () => {
  const marks = makeMarkRecords();
  const striped = () => Array.from({ length: marks.count() }, (_, place) => marks.styleAt(place) & FLAG_SIMULATED);
  marks.pack(pictureOf([FLAG_SIMULATED, FLAG_SIMULATED | MARK_EXPIRED]));
  expect(striped()).toEqual([0, 0]);
  marks.pack(pictureOf([FLAG_SIMULATED, 0]));
  expect(striped()).toEqual([FLAG_SIMULATED, 0]);
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

test('two buffers take turns, and each grows once for a larger picture', () => {
  const marks = makeMarkRecords();
  const buffers = [1, 2].map(() => {
    marks.pack(pictureOf([0, 0], 50));
    return marks.words();
  });
  marks.pack(pictureOf(Array.from({ length: 50 }, () => 0)));
  expect(marks.words()).toBe(buffers[0]);
  marks.pack(pictureOf([0], 50));
  expect(marks.words()).toBe(buffers[1]);
  expect(marks.count()).toBe(1);
  marks.pack(pictureOf(Array.from({ length: 51 }, () => 0)));
  expect(marks.indexAt(50)).toBe(50);
});

describe('changeWithin', () => {
  const picture = () => pictureOf(Array.from({ length: 10 }, () => 0));
  const east = { west: 0.45, east: 0.95, north: -0.1, south: 0.1 };

  test('says of the same picture that nothing changed', () => {
    const marks = makeMarkRecords();
    marks.pack(picture());
    marks.pack(picture());
    expect(marks.changeWithin(east)).toBe('none');
  });

  test.each<[string, (changed: Picture) => void, string]>([
    ['a step of age in view', ({ colour }) => colour.fill(1, 9 * 4 + 3), 'inside'],
    ['a step of age out of view', ({ colour }) => colour.fill(1, 3, 4), 'outside'],
    ['a mark that leaves', ({ mercatorX }) => mercatorX.fill(0.2, 8, 9), 'inside'],
    ['a mark that enters', ({ mercatorX }) => mercatorX.fill(0.7, 0, 1), 'inside'],
    ['another style', ({ style }) => style.fill(FLAG_DRONE, 7, 8), 'inside'],
    ['a turn', ({ headingDeg }) => headingDeg.fill(90, 7, 8), 'inside'],
  ])('sees %s', (_, change, expected) => {
    const marks = makeMarkRecords();
    marks.pack(picture());
    const changed = picture();
    change(changed);
    marks.pack(changed);
    expect(marks.changeWithin(east)).toBe(expected);
  });

  test('sees a mark that was removed, and one that was added', () => {
    const marks = makeMarkRecords();
    marks.pack(picture());
    const fewer = picture();
    fewer.count = 9;
    marks.pack(fewer);
    expect(marks.changeWithin(east)).toBe('inside');
    expect(marks.changeWithin({ ...east, east: 0.85 })).toBe('outside');
    marks.pack(picture());
    expect(marks.changeWithin(east)).toBe('inside');
  });

  test('sees a change in any copy of the world', () => {
    const marks = makeMarkRecords();
    marks.pack(picture());
    const changed = picture();
    changed.colour.fill(1, 3, 4);
    marks.pack(changed);
    expect(marks.changeWithin({ ...east, west: 0.45, east: 1.05 })).toBe('inside');
    expect(marks.changeWithin({ ...east, west: -2.05, east: -1.95 })).toBe('inside');
    expect(marks.changeWithin({ ...east, west: -1.9, east: -1.05 })).toBe('outside');
  });
});
