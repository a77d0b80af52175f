import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import { makePicture } from '#lib/picture/picture.ts';
import { type CameraView, screenPoint, viewMatrix } from '../webgl/view-matrix.fixture.ts';
import { visibleWorldCopies } from '../webgl/world-copies.ts';
import { makeMarkRecords } from './mark-records.ts';
import { marksNear, type PickView, pickMark } from './marks-layer.ts';

const RADIUS_PX = 20;

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const camera: fc.Arbitrary<CameraView> = fc.record({
  widthPx: fc.integer({ min: 300, max: 2000 }),
  heightPx: fc.integer({ min: 300, max: 1200 }),
  centreX: unit,
  centreY: fc.double({ min: 0.2, max: 0.8, noNaN: true }),
  zoom: fc.double({ min: 0, max: 4, noNaN: true }),
  bearingDeg: fc.double({ min: -180, max: 180, noNaN: true }),
  pitchDeg: fc.double({ min: 0, max: 60, noNaN: true }),
});
const mark = fc.record({ x: unit, y: unit, expired: fc.boolean() });

function packed(marks: readonly { x: number; y: number; expired: boolean }[]) {
  const picture = makePicture(marks.length);
  picture.count = marks.length;
  marks.forEach(({ x, y, expired }, index) => {
    picture.mercatorX[index] = x;
    picture.mercatorY[index] = y;
    picture.style[index] = expired ? MARK_EXPIRED : 0;
  });
  const records = makeMarkRecords();
  records.pack(picture);
  return records;
}

function pickViewOf(view: CameraView): PickView {
  const matrix = viewMatrix(view);
  const margin = (2 * RADIUS_PX) / Math.min(view.widthPx, view.heightPx);
  return { ...view, matrix, copies: visibleWorldCopies(matrix, margin) };
}

function pickIndex(view: CameraView, marks: ReturnType<typeof packed>, xPx: number, yPx: number, radiusPx: number) {
  const place = pickMark(marks, pickViewOf(view), xPx, yPx, radiusPx);
  return place === undefined ? undefined : marks.indexAt(place);
}

test('a mark is picked at its place in every world copy that is on screen', () => {
  fc.assert(
    fc.property(camera, mark, fc.integer({ min: -3, max: 3 }), (view, only, copy) => {
      const point = screenPoint(view, only.x + copy, only.y);
      fc.pre(point !== undefined);
      const [xPx, yPx] = point!;
      fc.pre(xPx >= 0 && xPx <= view.widthPx && yPx >= 0 && yPx <= view.heightPx);
      expect(pickIndex(view, packed([only]), xPx, yPx, 1)).toBe(0);
    }),
  );
});

test('picks the nearest current mark within the radius, or the nearest expired one if there is none', () => {
  fc.assert(
    fc.property(camera, fc.array(mark, { maxLength: 20 }), unit, unit, (view, marks, right, down) => {
      const [xPx, yPx] = [right * view.widthPx, down * view.heightPx];
      const distances = marks.map(({ x, y }) =>
        Math.min(
          ...[-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6].map((copy) => {
            const point = screenPoint(view, x + copy, y);
            return point === undefined ? Number.POSITIVE_INFINITY : Math.hypot(point[0] - xPx, point[1] - yPx);
          }),
        ),
      );
      const within = marks.map((_, index) => index).filter((index) => distances[index]! <= RADIUS_PX);
      const current = within.filter((index) => !marks[index]!.expired);
      const candidates = current.length > 0 ? current : within;
      const picked = pickIndex(view, packed(marks), xPx, yPx, RADIUS_PX);
      if (candidates.length === 0) {
        expect(picked).toBeUndefined();
        return;
      }
      expect(candidates).toContain(picked);
      const nearestPx = Math.min(...candidates.map((index) => distances[index]!));
      expect(distances[picked!]).toBeCloseTo(nearestPx, 3);
    }),
  );
});

test('a pile has each mark within the radius once; with the picked one taken away, the next is picked', () => {
  fc.assert(
    fc.property(camera, fc.array(mark, { maxLength: 20 }), unit, unit, (view, marks, right, down) => {
      const [xPx, yPx] = [right * view.widthPx, down * view.heightPx];
      const records = packed(marks);
      const pile = marksNear(records, pickViewOf(view), xPx, yPx, 4 * RADIUS_PX).map((place) => records.indexAt(place));
      expect(new Set(pile).size).toBe(pile.length);
      let left = marks.map((one, index) => ({ ...one, index }));
      for (const index of pile) {
        const picked = pickIndex(view, packed(left), xPx, yPx, 4 * RADIUS_PX);
        expect(left[picked!]?.index).toBe(index);
        left = left.filter((one) => one.index !== index);
      }
      expect(pickIndex(view, packed(left), xPx, yPx, 4 * RADIUS_PX)).toBeUndefined();
    }),
  );
});
