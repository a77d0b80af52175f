import { MARK_EMERGENCY, MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import type { WorldCopies } from '../webgl/world-copies.ts';
import type { MarkRecords } from './mark-records.ts';

export interface PickView {
  /** Column-major, Mercator 0…1 to clip space, in double precision. */
  readonly matrix: ArrayLike<number>;
  readonly copies: WorldCopies;
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * @returns a place in the drawing order: current marks win, then the nearest, then the topmost; `undefined` if none is
 * within `radiusPx`
 */
export function pickMark(
  marks: MarkRecords,
  view: PickView,
  xPx: number,
  yPx: number,
  radiusPx: number,
): number | undefined {
  let current: number | undefined;
  let expired: number | undefined;
  let currentSquare = radiusPx * radiusPx;
  let expiredSquare = currentSquare;
  for (let place = 0; place < marks.count(); place++) {
    const square = distanceSquare(view, marks.mercatorXAt(place), marks.mercatorYAt(place), xPx, yPx);
    if ((marks.styleAt(place) & MARK_EXPIRED) === 0) {
      if (square > currentSquare) continue;
      current = place;
      currentSquare = square;
    } else if (square <= expiredSquare) {
      expired = place;
      expiredSquare = square;
    }
  }
  return current ?? expired;
}

/** Places in the drawing order, best first. */
export function marksNear(marks: MarkRecords, view: PickView, xPx: number, yPx: number, radiusPx: number): number[] {
  const near: { place: number; square: number; expired: boolean }[] = [];
  for (let place = 0; place < marks.count(); place++) {
    const square = distanceSquare(view, marks.mercatorXAt(place), marks.mercatorYAt(place), xPx, yPx);
    if (square <= radiusPx * radiusPx)
      near.push({ place, square, expired: (marks.styleAt(place) & MARK_EXPIRED) !== 0 });
  }
  near.sort((a, b) => Number(a.expired) - Number(b.expired) || a.square - b.square || b.place - a.place);
  return near.map(({ place }) => place);
}

export interface ScreenBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function marksInBox(marks: MarkRecords, view: PickView, box: ScreenBox): number[] {
  const inside: { place: number; square: number; isEmergency: boolean }[] = [];
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const isInside = (dx: number, dy: number) =>
    Math.abs(dx) <= (box.right - box.left) / 2 && Math.abs(dy) <= (box.bottom - box.top) / 2;
  for (let place = 0; place < marks.count(); place++) {
    const square = distanceSquare(view, marks.mercatorXAt(place), marks.mercatorYAt(place), x, y, isInside);
    if (square === Number.POSITIVE_INFINITY) continue;
    inside.push({ place, square, isEmergency: (marks.styleAt(place) & MARK_EMERGENCY) !== 0 });
  }
  inside.sort((a, b) => Number(b.isEmergency) - Number(a.isEmergency) || a.square - b.square || a.place - b.place);
  return inside.map(({ place }) => place);
}

/** To the nearest world copy, px²; infinite behind the camera, and where `counts` says so. */
function distanceSquare(
  view: PickView,
  mercatorX: number,
  mercatorY: number,
  xPx: number,
  yPx: number,
  counts: (dx: number, dy: number) => boolean = () => true,
): number {
  const { matrix: m, copies, widthPx, heightPx } = view;
  let nearest = Number.POSITIVE_INFINITY;
  for (let copy = copies.first; copy <= copies.last; copy++) {
    const x = mercatorX + copy;
    const w = m[3]! * x + m[7]! * mercatorY + m[15]!;
    if (w <= 0) continue;
    const dx = (((m[0]! * x + m[4]! * mercatorY + m[12]!) / w + 1) / 2) * widthPx - xPx;
    const dy = ((1 - (m[1]! * x + m[5]! * mercatorY + m[13]!) / w) / 2) * heightPx - yPx;
    if (counts(dx, dy)) nearest = Math.min(nearest, dx * dx + dy * dy);
  }
  return nearest;
}
