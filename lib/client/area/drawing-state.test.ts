import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryArea } from '#lib/geo/arbitrary-area.fixture.ts';
import { areaProblem } from '#lib/geo/area.ts';
import { formatArea, parseArea } from '#lib/geo/area-parameter.ts';
import { destination, distanceM } from '#lib/geo/great-circle.ts';
import {
  Drawing,
  draftOf,
  finishedArea,
  handlesOf,
  NOTHING_DRAWN,
  startDrawing,
  withCorner,
  withHandleAt,
  withoutLastCorner,
  withPointer,
} from './drawing-state.ts';

const A = { lon: 8.5, lat: 47.4 };
const B = { lon: 8.6, lat: 47.4 };
const C = { lon: 8.6, lat: 47.5 };

test('a polygon grows by corners, follows the pointer, and loses its last corner', () => {
  const two = withCorner(withCorner(startDrawing('polygon'), A), B);
  expect(withCorner(two, B)).toBe(two);
  expect(draftOf(withPointer(two, C))).toEqual({ kind: 'polygon', corners: [A, B, C] });
  expect(finishedArea(draftOf(two)).problem).toMatch(/three corners/);
  expect(finishedArea(draftOf(withCorner(two, C))).area).toEqual({ kind: 'polygon', corners: [A, B, C] });
  expect(withoutLastCorner(two).corners).toEqual([A]);
});

test('an area that is drawn for a permit goes there once, and nowhere when it is given up', () => {
  const drawing = new Drawing();
  const taken: unknown[] = [];
  const area = finishedArea({ kind: 'circle', centre: A, radiusM: 500 }).area;
  drawing.drawFor('polygon', (its) => taken.push(its));
  drawing.toggle('circle');
  expect([drawing.isForFilter, taken.length]).toEqual([false, 0]);
  drawing.end(area);
  expect([drawing.isForFilter, drawing.get()]).toEqual([true, NOTHING_DRAWN]);
  drawing.end(area);
  drawing.drawFor('polygon', (its) => taken.push(its));
  drawing.end();
  expect(taken).toEqual([area, undefined]);
});

test('a circle has one centre, and reaches to the pointer', () => {
  const placed = withCorner(withCorner(startDrawing('circle'), A), B);
  expect(placed.corners).toEqual([A]);
  expect(draftOf(placed)).toBeUndefined();
  expect(draftOf(withPointer(placed, B))).toEqual({ kind: 'circle', centre: A, radiusM: distanceM(A, B) });
});

test('corners without a tool, and a second corner of a circle, do not compile', () => {
  // @ts-expect-error a corner needs a tool
  expect(draftOf({ ...NOTHING_DRAWN, corners: [A] })).toBeUndefined();
  // @ts-expect-error a circle has one centre
  expect(draftOf({ ...NOTHING_DRAWN, tool: 'circle', corners: [A, B] })).toBeUndefined();
});

test('a finished area survives the round trip through a link', () => {
  fc.assert(
    fc.property(arbitraryArea, (area) => {
      const { area: finished } = finishedArea(area);
      expect(finished && parseArea(formatArea(finished))).toEqual(finished);
    }),
  );
});

test('a handle that is dragged to where it is changes nothing but the number of corners', () => {
  const east = (circle: Parameters<Parameters<typeof handlesOf>[1]>[0]) =>
    destination(circle.centre, 90, circle.radiusM);
  fc.assert(
    fc.property(arbitraryArea, (area) => {
      for (const handle of handlesOf(area, east)) {
        const changed = withHandleAt(area, handle, handle.at);
        if (area.kind === 'circle' && changed.kind === 'circle') {
          expect(changed.radiusM).toBeCloseTo(area.radiusM, 3);
          expect(changed.centre).toEqual(area.centre);
        }
        if (area.kind === 'polygon' && changed.kind === 'polygon')
          expect(changed.corners.length).toBe(area.corners.length + (handle.kind === 'between' ? 1 : 0));
      }
    }),
  );
});

test('a corner that is dragged across an edge is refused', () => {
  const square = { kind: 'polygon' as const, corners: [A, B, C, { lon: 8.5, lat: 47.5 }] };
  const crossed = withHandleAt(square, { kind: 'corner', index: 0, at: A }, { lon: 8.7, lat: 47.45 });
  expect(areaProblem(crossed)).toMatch(/cross/);
  expect(finishedArea(crossed).problem).toMatch(/cross/);
});
