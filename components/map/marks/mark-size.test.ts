import { describe, expect, test } from 'vitest';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import { makePicture } from '#lib/picture/picture.ts';
import { makeMarkRecords } from './mark-records.ts';
import { markHalfPx, markLook } from './mark-size.ts';

describe('markLook', () => {
  test('marks are small from afar, and silhouettes close by', () => {
    expect([2, 5, 7.4].map((zoom) => markLook(zoom, 'normal').isSmall)).toEqual([true, true, true]);
    expect([7.5, 9, 14, 18].map((zoom) => markLook(zoom, 'normal').isSmall)).toEqual([false, false, false, false]);
  });

  test('marks never shrink when the map comes closer', () => {
    const zooms = Array.from({ length: 200 }, (_, step) => step / 10);
    for (const style of [0, FLAG_DRONE, FLAG_TEST, MARK_EMERGENCY]) {
      const halves = zooms.map((zoom) => markHalfPx(markLook(zoom, 'normal'), style));
      expect(halves).toEqual(halves.toSorted((a, b) => a - b));
    }
  });

  test('a larger size is larger at every zoom', () => {
    for (const zoom of [1, 4, 7, 8, 13, 18]) {
      for (const kind of [0, FLAG_DRONE]) {
        const halves = (['small', 'normal', 'large'] as const).map((size) => markHalfPx(markLook(zoom, size), kind));
        expect(halves[0]).toBeLessThan(halves[1]!);
        expect(halves[1]).toBeLessThan(halves[2]!);
      }
    }
  });
});

test('test, selected and emergency marks are never drawn small, whatever else they are', () => {
  const others = [0, FLAG_DRONE, FLAG_SIMULATED, MARK_EXPIRED, MARK_EXPIRED | FLAG_SIMULATED | FLAG_DRONE];
  const decorations = [FLAG_TEST, MARK_SELECTED, MARK_EMERGENCY, FLAG_TEST | MARK_EMERGENCY];
  const styles = [...others, ...others.flatMap((other) => decorations.map((decoration) => other | decoration))];
  const picture = makePicture(styles.length);
  picture.count = styles.length;
  picture.style.set(styles);
  const marks = makeMarkRecords();
  marks.pack(picture);
  const drawn = Array.from({ length: marks.count() }, (_, place) => marks.styleAt(place));
  expect(new Set(drawn.slice(0, marks.plainAircraft() + marks.plainDrones()))).toEqual(new Set(others));
  expect(
    drawn
      .slice(marks.plainAircraft() + marks.plainDrones())
      .every((style) => (style & (FLAG_TEST | MARK_SELECTED | MARK_EMERGENCY)) !== 0),
  ).toBe(true);
});
