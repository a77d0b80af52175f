import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MARK_EMERGENCY } from '#lib/picture/mark-style.ts';
import { makePicture } from '#lib/picture/picture.ts';
import { type CameraView, viewMatrix } from '../webgl/view-matrix.fixture.ts';
import { makeMarkRecords } from './mark-records.ts';
import { marksInBox } from './marks-layer.ts';

const WIDTH_PX = 1000;
const HEIGHT_PX = 800;
const mark = fc.record({
  eastPx: fc.integer({ min: -700, max: 700 }),
  southPx: fc.integer({ min: -600, max: 600 }),
  style: fc.constantFrom(0, MARK_EMERGENCY),
});
const scene = fc.record({
  marks: fc.array(mark, { maxLength: 30 }),
  bearingDeg: fc.constantFrom(0, 30, 90, 215),
  box: fc
    .record({ left: fc.nat(900), top: fc.nat(700), width: fc.integer({ min: 1, max: 600 }), height: fc.nat(500) })
    .map(({ left, top, width, height }) => ({ left, top, right: left + width, bottom: top + height })),
});

test('a box has exactly the marks that are seen in it, on a turned map too: emergencies first, then the nearest to its middle', () => {
  fc.assert(
    fc.property(scene, ({ marks, bearingDeg, box }) => {
      const view: CameraView = {
        widthPx: WIDTH_PX,
        heightPx: HEIGHT_PX,
        centreX: 0.5,
        centreY: 0.5,
        zoom: 10,
        bearingDeg,
        pitchDeg: 0,
      };
      const picture = makePicture(marks.length);
      picture.count = marks.length;
      marks.forEach(({ eastPx, southPx, style }, index) => {
        picture.mercatorX[index] = 0.5 + eastPx / (512 * 2 ** view.zoom);
        picture.mercatorY[index] = 0.5 + southPx / (512 * 2 ** view.zoom);
        picture.style[index] = style;
      });
      const records = makeMarkRecords();
      records.pack(picture);
      const turn = (bearingDeg * Math.PI) / 180;
      const onScreen = marks.map(({ eastPx, southPx }) => ({
        x: WIDTH_PX / 2 + eastPx * Math.cos(turn) + southPx * Math.sin(turn),
        y: HEIGHT_PX / 2 - eastPx * Math.sin(turn) + southPx * Math.cos(turn),
      }));
      const [middleX, middleY] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      const beyond = ({ x, y }: { x: number; y: number }) =>
        Math.max(box.left - x, x - box.right, box.top - y, y - box.bottom);
      const distance = (index: number) => {
        const place = onScreen[index] ?? { x: 0, y: 0 };
        return Math.hypot(place.x - middleX, place.y - middleY);
      };
      fc.pre(onScreen.every((place) => Math.abs(beyond(place)) > 0.01));

      const drawn = { ...view, matrix: viewMatrix(view), copies: { first: 0, last: 0 } };
      const found = marksInBox(records, drawn, box).map((place) => records.indexAt(place));
      expect(found.toSorted((a, b) => a - b)).toEqual(
        onScreen.flatMap((place, index) => (beyond(place) < 0 ? [index] : [])),
      );
      const rank = (index: number) => (marks[index]?.style === MARK_EMERGENCY ? 0 : 1e6) + distance(index);
      found.slice(1).forEach((index, at) => {
        expect(rank(index)).toBeGreaterThanOrEqual(rank(found[at] ?? 0) - 0.01);
      });
    }),
  );
});
