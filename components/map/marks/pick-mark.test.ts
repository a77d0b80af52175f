import { expect, test } from 'vitest';
import { MARK_EXPIRED, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import { makePicture } from '#lib/picture/picture.ts';
import { type CameraView, viewMatrix } from '../webgl/view-matrix.fixture.ts';
import { makeMarkRecords } from './mark-records.ts';
import { pickMark } from './marks-layer.ts';

const view: CameraView = {
  widthPx: 1000,
  heightPx: 800,
  centreX: 0.5,
  centreY: 0.5,
  zoom: 10,
  bearingDeg: 0,
  pitchDeg: 0,
};

function pickAtMiddle(marks: readonly { eastPx: number; style: number }[], radiusPx: number): number | undefined {
  const picture = makePicture(marks.length);
  picture.count = marks.length;
  marks.forEach(({ eastPx, style }, index) => {
    picture.mercatorX[index] = 0.5 + eastPx / (512 * 2 ** view.zoom);
    picture.mercatorY[index] = 0.5;
    picture.style[index] = style;
  });
  const records = makeMarkRecords();
  records.pack(picture);
  const place = pickMark(
    records,
    { ...view, matrix: viewMatrix(view), copies: { first: 0, last: 0 } },
    500,
    400,
    radiusPx,
  );
  return place === undefined ? undefined : records.indexAt(place);
}

test('a current mark wins over a nearer expired one', () => {
  expect(
    pickAtMiddle(
      [
        { eastPx: 1, style: MARK_EXPIRED },
        { eastPx: 8, style: 0 },
      ],
      10,
    ),
  ).toBe(1);
});

test('an expired mark is picked if no current one is in reach', () => {
  expect(
    pickAtMiddle(
      [
        { eastPx: 5, style: MARK_EXPIRED },
        { eastPx: 11, style: 0 },
      ],
      10,
    ),
  ).toBe(0);
});

test('at the same place the topmost mark is picked: a selected one, otherwise the later one', () => {
  expect(
    pickAtMiddle(
      [
        { eastPx: 2, style: 0 },
        { eastPx: 2, style: 0 },
      ],
      10,
    ),
  ).toBe(1);
  expect(
    pickAtMiddle(
      [
        { eastPx: 2, style: MARK_SELECTED },
        { eastPx: 2, style: 0 },
      ],
      10,
    ),
  ).toBe(0);
});

test('nothing is picked outside the radius', () => {
  expect(pickAtMiddle([{ eastPx: 10.5, style: 0 }], 10)).toBeUndefined();
});
