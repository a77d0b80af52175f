import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FLAG_SIMULATED } from '#lib/model/record-fields.ts';
import { makePicture } from '#lib/picture/picture.ts';
import { drawRank, makeMarkRecords } from './mark-records.ts';

test('every mark of a picture is drawn once, by rank, and in picture order within a rank', () => {
  const marks = makeMarkRecords();
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0x1ff }), { maxLength: 60 }), (styles) => {
      const picture = makePicture(styles.length);
      picture.count = styles.length;
      picture.style.set(styles);
      marks.pack(picture);
      const order = Array.from({ length: marks.count() }, (_, place) => marks.indexAt(place));
      const expected = styles
        .map((style, index) => ({ rank: drawRank(style), index }))
        .sort((a, b) => a.rank - b.rank || a.index - b.index)
        .map(({ index }) => index);
      expect(order).toEqual(expected);
      const isPlain = styles.every((style) => (style & FLAG_SIMULATED) !== 0);
      const drawn = styles.map((style) => (isPlain ? style & ~FLAG_SIMULATED : style));
      expect(order.map((_, place) => marks.styleAt(place))).toEqual(order.map((index) => drawn[index]));
    }),
  );
});
