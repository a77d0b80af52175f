import type { Picture } from '#lib/picture/picture.ts';

export const LABEL_SIDES = [
  'right',
  'left',
  'lower-right',
  'upper-right',
  'lower-left',
  'upper-left',
  'below',
  'above',
] as const;

/** An index in `LABEL_SIDES`. */
export type LabelSide = number;

/** Marks on the screen, in CSS pixels from its middle, in columns; the first `count` are valid. */
export interface ScreenMarks {
  count: number;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly halfPx: Float32Array;
}

export interface ScreenCamera {
  /** Mercator position of the middle. */
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly bearingDeg: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Pixels of the world at zoom 0. */
export const WORLD_PX = 512;

/** A mark this far outside the view may touch a label in it. */
const MARGIN_PX = 40;

/** The part of a picture that is projected. */
export type ProjectedMarks = Pick<Picture, 'count' | 'capacity' | 'mercatorX' | 'mercatorY' | 'style'>;

/** Projects marks to the screen, each in the world copy nearest to its middle. */
export class MarksOnScreen {
  #marks = emptyMarks(0);
  #indices = new Uint32Array(0);

  get marks(): ScreenMarks {
    return this.#marks;
  }

  project(picture: ProjectedMarks, camera: ScreenCamera, halfPxOf: (style: number) => number): Uint32Array {
    if (this.#indices.length < picture.count) {
      this.#marks = emptyMarks(picture.capacity);
      this.#indices = new Uint32Array(picture.capacity);
    }
    const worldPx = WORLD_PX * 2 ** camera.zoom;
    const cosine = Math.cos((camera.bearingDeg * Math.PI) / 180) * worldPx;
    const sine = Math.sin((camera.bearingDeg * Math.PI) / 180) * worldPx;
    const reachX = camera.widthPx / 2 + MARGIN_PX;
    const reachY = camera.heightPx / 2 + MARGIN_PX;
    const marks = this.#marks;
    let count = 0;
    for (let index = 0; index < picture.count; index++) {
      let east = picture.mercatorX[index]! - camera.x;
      east -= Math.round(east);
      const south = picture.mercatorY[index]! - camera.y;
      const x = east * cosine + south * sine;
      const y = south * cosine - east * sine;
      if (x < -reachX || x > reachX || y < -reachY || y > reachY) continue;
      marks.x[count] = x;
      marks.y[count] = y;
      marks.halfPx[count] = halfPxOf(picture.style[index]!);
      this.#indices[count] = index;
      count++;
    }
    marks.count = count;
    return this.#indices;
  }
}

function emptyMarks(capacity: number): ScreenMarks {
  return {
    count: 0,
    x: new Float32Array(capacity),
    y: new Float32Array(capacity),
    halfPx: new Float32Array(capacity),
  };
}

export interface LabelWish {
  /** Its mark; `undefined` for a place that has none. */
  readonly mark: number | undefined;
  readonly at: ScreenPlace;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly isVital: boolean;
  /** `undefined` if it was not shown. */
  readonly sideBefore: LabelSide | undefined;
}

/** The middle of what is labelled, and half its side. */
interface ScreenPlace {
  readonly x: number;
  readonly y: number;
  readonly halfPx: number;
}

const GAP_PX = 1;

/** A new place needs this distance from others, an old one does not: labels don't flicker. */
const CLEARANCE_PX = 2;

const CELL_PX = 48;

export function labelCorner(
  side: LabelSide,
  halfPx: number,
  widthPx: number,
  heightPx: number,
): [x: number, y: number] {
  const away = halfPx + GAP_PX;
  switch (LABEL_SIDES[side]) {
    case 'right':
      return [away, -heightPx / 2];
    case 'left':
      return [-away - widthPx, -heightPx / 2];
    case 'lower-right':
      return [away, 0];
    case 'upper-right':
      return [away, -heightPx];
    case 'lower-left':
      return [-away - widthPx, 0];
    case 'upper-left':
      return [-away - widthPx, -heightPx];
    case 'below':
      return [-widthPx / 2, away];
    default:
      return [-widthPx / 2, -away - heightPx];
  }
}

/**
 * Finds a side of its mark for each label, where it covers neither marks nor other labels. A label keeps its side while
 * that is free.
 * @param wishes most important first
 * @returns each wish's side; `undefined` without space
 */
export function placeLabels(
  marks: ScreenMarks,
  wishes: readonly LabelWish[],
  limit: number,
): (LabelSide | undefined)[] {
  const taken = new Boxes();
  const index = new MarkIndex(marks);
  let placed = 0;
  return wishes.map((wish) => {
    if (placed >= limit) return undefined;
    const side = freeSide(wish, taken, index);
    if (side === undefined) return undefined;
    placed++;
    const { left, top } = boxAt(wish, side);
    taken.add(left, top, left + wish.widthPx, top + wish.heightPx);
    return side;
  });
}

function freeSide(wish: LabelWish, taken: Boxes, index: MarkIndex): LabelSide | undefined {
  const { sideBefore } = wish;
  const isFree = (side: LabelSide, clearancePx: number, overMarks: boolean) => {
    const { left, top } = boxAt(wish, side);
    const [west, north] = [left - clearancePx, top - clearancePx];
    const [east, south] = [left + wish.widthPx + clearancePx, top + wish.heightPx + clearancePx];
    return !taken.meets(west, north, east, south) && (overMarks || !index.meets(west, north, east, south, wish.mark));
  };
  const anySide = (clearancePx: number, overMarks: boolean) =>
    LABEL_SIDES.findIndex((_, side) => isFree(side, clearancePx, overMarks));
  if (sideBefore !== undefined && isFree(sideBefore, 0, false)) return sideBefore;
  const side = anySide(CLEARANCE_PX, false);
  if (side >= 0) return side;
  if (!wish.isVital) return undefined;
  if (sideBefore !== undefined && isFree(sideBefore, 0, true)) return sideBefore;
  const vital = anySide(0, true);
  return vital >= 0 ? vital : undefined;
}

export function boxAt({ at, widthPx, heightPx }: LabelWish, side: LabelSide): { left: number; top: number } {
  const [x, y] = labelCorner(side, at.halfPx, widthPx, heightPx);
  return { left: at.x + x, top: at.y + y };
}

class Boxes {
  readonly #edges: number[] = [];

  add(west: number, north: number, east: number, south: number): void {
    this.#edges.push(west, north, east, south);
  }

  meets(west: number, north: number, east: number, south: number): boolean {
    const edges = this.#edges;
    for (let at = 0; at < edges.length; at += 4) {
      if (edges[at]! < east && edges[at + 2]! > west && edges[at + 1]! < south && edges[at + 3]! > north) return true;
    }
    return false;
  }
}

class MarkIndex {
  readonly #marks: ScreenMarks;
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #left: number;
  readonly #top: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #reachPx: number;

  constructor(marks: ScreenMarks) {
    this.#marks = marks;
    const { count, x, y, halfPx } = marks;
    let [left, top, right, bottom, reachPx] = [0, 0, 0, 0, 0];
    for (let mark = 0; mark < count; mark++) {
      if (x[mark]! < left) left = x[mark]!;
      else if (x[mark]! > right) right = x[mark]!;
      if (y[mark]! < top) top = y[mark]!;
      else if (y[mark]! > bottom) bottom = y[mark]!;
      if (halfPx[mark]! > reachPx) reachPx = halfPx[mark]!;
    }
    [this.#left, this.#top, this.#reachPx] = [left, top, reachPx];
    this.#columns = Math.floor((right - left) / CELL_PX) + 1;
    this.#rows = Math.floor((bottom - top) / CELL_PX) + 1;
    this.#first = new Int32Array(this.#columns * this.#rows).fill(-1);
    this.#next = new Int32Array(count);
    for (let mark = 0; mark < count; mark++) {
      const cell = this.#row(y[mark]!) * this.#columns + this.#column(x[mark]!);
      this.#next[mark] = this.#first[cell]!;
      this.#first[cell] = mark;
    }
  }

  meets(west: number, north: number, east: number, south: number, except: number | undefined): boolean {
    const { x, y, halfPx } = this.#marks;
    const reach = this.#reachPx;
    const lastColumn = this.#column(east + reach);
    const lastRow = this.#row(south + reach);
    for (let row = this.#row(north - reach); row <= lastRow; row++) {
      for (let column = this.#column(west - reach); column <= lastColumn; column++) {
        for (let mark = this.#first[row * this.#columns + column]!; mark >= 0; mark = this.#next[mark]!) {
          const half = halfPx[mark]!;
          if (x[mark]! + half <= west || x[mark]! - half >= east) continue;
          if (y[mark]! + half <= north || y[mark]! - half >= south) continue;
          if (mark !== except) return true;
        }
      }
    }
    return false;
  }

  #column(x: number): number {
    return Math.min(this.#columns - 1, Math.max(0, Math.floor((x - this.#left) / CELL_PX)));
  }

  #row(y: number): number {
    return Math.min(this.#rows - 1, Math.max(0, Math.floor((y - this.#top) / CELL_PX)));
  }
}
