import { expect, test } from 'vitest';
import { type CameraView, viewMatrix } from './view-matrix.fixture.ts';
import { visibleWorldCopies } from './world-copies.ts';

const view: CameraView = {
  widthPx: 1280,
  heightPx: 800,
  centreX: 0.5,
  centreY: 0.5,
  zoom: 6,
  bearingDeg: 0,
  pitchDeg: 0,
};

test('a view inside the world shows one copy', () => {
  expect(visibleWorldCopies(viewMatrix(view), 0)).toEqual({ first: 0, last: 0 });
});

test('a view across 180° shows the copies on both sides', () => {
  expect(visibleWorldCopies(viewMatrix({ ...view, centreX: 1 }), 0)).toEqual({ first: 0, last: 1 });
  expect(visibleWorldCopies(viewMatrix({ ...view, centreX: 0 }), 0)).toEqual({ first: -1, last: 0 });
});

test('a view that ends just before 180° shows the copy beyond it only with a margin for marks that reach in', () => {
  const worldPx = 512 * 2 ** view.zoom;
  const endsBefore = { ...view, centreX: 1 - (view.widthPx / 2 + 5) / worldPx };
  expect(visibleWorldCopies(viewMatrix(endsBefore), 0).last).toBe(0);
  expect(visibleWorldCopies(viewMatrix(endsBefore), 0.05).last).toBe(1);
});

test('the smallest zoom on a wide screen shows every copy that fits', () => {
  const wide = { ...view, widthPx: 2400, zoom: 0 };
  expect(visibleWorldCopies(viewMatrix(wide), 0)).toEqual({ first: -2, last: 2 });
});

test('a view up to the horizon is bounded', () => {
  const { first, last } = visibleWorldCopies(viewMatrix({ ...view, zoom: 2, pitchDeg: 85 }), 0);
  expect(last - first).toBeLessThanOrEqual(8);
  expect(first).toBeLessThanOrEqual(0);
  expect(last).toBeGreaterThanOrEqual(0);
});

test('a matrix that shows nothing yields copy 0 alone', () => {
  expect(visibleWorldCopies(new Float64Array(16), 0)).toEqual({ first: 0, last: 0 });
});
