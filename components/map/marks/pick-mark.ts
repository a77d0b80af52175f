import { MARK_COASTED } from '#lib/picture/mark-style.ts';
import type { WorldCopies } from '../webgl/world-copies.ts';
import type { MarkRecords } from './mark-records.ts';

/** The camera of the frame to pick from. */
export interface PickView {
  /** Column-major, Mercator 0…1 to clip space, in double precision. */
  readonly matrix: ArrayLike<number>;
  readonly copies: WorldCopies;
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * The mark at a point, in CSS pixels from the view's upper left corner. A current mark wins over a coasted one, then the nearest wins,
 * then the topmost.
 * @returns its place in the drawing order; `undefined` if no position lies within `radiusPx`
 */
export function pickMark(
  marks: MarkRecords,
  view: PickView,
  xPx: number,
  yPx: number,
  radiusPx: number,
): number | undefined {
  let current: number | undefined;
  let coasted: number | undefined;
  let currentSquare = radiusPx * radiusPx;
  let coastedSquare = currentSquare;
  for (let place = 0; place < marks.count(); place++) {
    const square = distanceSquare(view, marks.mercatorXAt(place), marks.mercatorYAt(place), xPx, yPx);
    if ((marks.styleAt(place) & MARK_COASTED) === 0) {
      if (square > currentSquare) continue;
      current = place;
      currentSquare = square;
    } else if (square <= coastedSquare) {
      coasted = place;
      coastedSquare = square;
    }
  }
  return current ?? coasted;
}

/** All marks within `radiusPx`, as places in the drawing order: those first that `pickMark` prefers. */
export function marksNear(marks: MarkRecords, view: PickView, xPx: number, yPx: number, radiusPx: number): number[] {
  const near: { place: number; square: number; coasted: boolean }[] = [];
  for (let place = 0; place < marks.count(); place++) {
    const square = distanceSquare(view, marks.mercatorXAt(place), marks.mercatorYAt(place), xPx, yPx);
    if (square <= radiusPx * radiusPx)
      near.push({ place, square, coasted: (marks.styleAt(place) & MARK_COASTED) !== 0 });
  }
  near.sort((a, b) => Number(a.coasted) - Number(b.coasted) || a.square - b.square || b.place - a.place);
  return near.map(({ place }) => place);
}

/** Squared distance from a point of the screen to the nearest world copy of a position, px²; infinite behind the camera. */
function distanceSquare(view: PickView, mercatorX: number, mercatorY: number, xPx: number, yPx: number): number {
  const { matrix: m, copies, widthPx, heightPx } = view;
  let nearest = Number.POSITIVE_INFINITY;
  for (let copy = copies.first; copy <= copies.last; copy++) {
    const x = mercatorX + copy;
    const w = m[3]! * x + m[7]! * mercatorY + m[15]!;
    if (w <= 0) continue;
    const dx = (((m[0]! * x + m[4]! * mercatorY + m[12]!) / w + 1) / 2) * widthPx - xPx;
    const dy = ((1 - (m[1]! * x + m[5]! * mercatorY + m[13]!) / w) / 2) * heightPx - yPx;
    nearest = Math.min(nearest, dx * dx + dy * dy);
  }
  return nearest;
}
