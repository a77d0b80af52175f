import { type Bbox, bboxesOverlap, lonSpanDeg } from '#lib/geo/bbox.ts';
import { wrapEastEdge, wrapLongitude } from '#lib/geo/longitude.ts';
import { confidenceClass } from '#lib/model/confidence.ts';
import { heightBandOf } from '#lib/model/height-band.ts';
import type { Layer, Position } from '#lib/model/position.ts';

/** The overview counts positions by cell and kind. */

/** The finest cells have this many units a degree. The planner's grid is a multiple. */
export const UNITS_A_DEGREE = 256;
export const WORLD_COLUMNS = 360 * UNITS_A_DEGREE;
export const WORLD_ROWS = 180 * UNITS_A_DEGREE;

type Sizes = Readonly<Record<'finest' | 'usual' | 'measured' | 'coarsest', number>>;

/** Sides of cells are powers of two in units: 2 ** size. Reception is measured in cells of at least `measured`. */
export const SIZES: Readonly<Record<Layer, Sizes>> = {
  // Cells of drones have sides of 430 m to 3.5 km in latitude.
  rid: { finest: 0, usual: 3, measured: 3, coarsest: 8 },
  // Cells of aircraft have sides of 3.5 to 14 km: an aircraft flies a kilometre between two reads.
  // Measured ones have 28 km: in the region of the `segments` bench, those of 14 km would take 2 MB a month.
  adsb: { finest: 3, usual: 5, measured: 6, coarsest: 8 },
};
/** Cells of 2°, of which the world has 16,200. */
export const SIZE_MAX = 9;

export function cellColumnOf(lon: number): number {
  const column = Math.floor((lon + 180) * UNITS_A_DEGREE);
  return column >= WORLD_COLUMNS ? column - WORLD_COLUMNS : column;
}

export function cellRowOf(lat: number): number {
  return Math.min(WORLD_ROWS - 1, Math.floor((lat + 90) * UNITS_A_DEGREE));
}

export function cellDegOf(size: number): number {
  return 2 ** size / UNITS_A_DEGREE;
}

/** Edges in units, from 180° W and the south pole. Crosses no 180°. */
export type UnitBox = Bbox;

/** A part of a box, with the edges within it on the nearest unit, so that parts which fill the box still do. */
export function cutOnUnits(part: Bbox, box: Bbox): Bbox {
  const onUnit = (deg: number) => Math.round(deg * UNITS_A_DEGREE) / UNITS_A_DEGREE;
  return {
    west: part.west === box.west ? box.west : onUnit(part.west),
    south: part.south === box.south ? box.south : onUnit(part.south),
    east: part.east === box.east ? box.east : onUnit(part.east),
    north: part.north === box.north ? box.north : onUnit(part.north),
  };
}

/** A box of whole cells; its columns may go on beyond 180°. */
export interface CellBox {
  readonly size: number;
  readonly column: number;
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
}

/** The cells that the box touches. An edge on a grid line touches no further cell. */
export function cellBoxOf(bbox: Bbox, size: number): CellBox {
  const side = cellDegOf(size);
  const column = Math.min(Math.floor((bbox.west + 180) / side), 360 / side - 1);
  const row = Math.floor((bbox.south + 90) / side);
  const east = Math.ceil((bbox.west + lonSpanDeg(bbox) + 180) / side);
  const north = Math.ceil((bbox.north + 90) / side);
  return { size, column, row, columns: Math.min(east - column, 360 / side), rows: north - row };
}

/** The smallest cells of at least this size of which the box has at most `cellsMax`. */
export function boundedCellBox(bbox: Bbox, size: number, cellsMax: number): CellBox {
  const box = cellBoxOf(bbox, size);
  return box.columns * box.rows <= cellsMax || size === SIZE_MAX ? box : boundedCellBox(bbox, size + 1, cellsMax);
}

/** The box in degrees. West > east across 180°. */
export function bboxOfCells({ size, column, row, columns, rows }: CellBox): Bbox {
  const side = cellDegOf(size);
  if (columns * side >= 360) return { west: -180, east: 180, south: row * side - 90, north: (row + rows) * side - 90 };
  return {
    west: wrapLongitude(column * side - 180),
    east: wrapEastEdge((column + columns) * side - 180),
    south: row * side - 90,
    north: (row + rows) * side - 90,
  };
}

/** Index of a cell of the box's size or finer, row by row; -1 outside. */
export function indexIn(box: CellBox, column: number, row: number, size: number): number {
  const finer = box.size - size;
  const down = (row >> finer) - box.row;
  if (down < 0 || down >= box.rows) return -1;
  const worldColumns = WORLD_COLUMNS >> box.size;
  let across = (column >> finer) - box.column;
  if (across < 0) across += worldColumns;
  return across < box.columns ? down * box.columns + across : -1;
}

/** The box around all boxes. */
export function unitBoxAround(boxes: Iterable<UnitBox>): UnitBox | undefined {
  let around: { -readonly [Edge in keyof UnitBox]: number } | undefined;
  for (const box of boxes) {
    around ??= { ...box };
    around.west = Math.min(around.west, box.west);
    around.south = Math.min(around.south, box.south);
    around.east = Math.max(around.east, box.east);
    around.north = Math.max(around.north, box.north);
  }
  return around;
}

export function bboxOfUnits({ west, south, east, north }: UnitBox): Bbox {
  return {
    west: west / UNITS_A_DEGREE - 180,
    south: south / UNITS_A_DEGREE - 90,
    east: east / UNITS_A_DEGREE - 180,
    north: north / UNITS_A_DEGREE - 90,
  };
}

export function unitsTouch(bbox: Bbox, units: UnitBox): boolean {
  return bboxesOverlap(bbox, bboxOfUnits(units));
}

/** No layer has more height bands. */
export const BANDS = 8;
/** Class 0 has the main figures, and the others are those of `APART` in lib/api. */
export const CLASSES = 4;
export const KINDS = BANDS * CLASSES;

/** A position counts in one class and one band. */
export function countedKind(layer: Layer, position: Position): number {
  const band = heightBandOf(layer, layer === 'rid' ? position.heightAglM : position.altitudeM);
  return classOf(position) * BANDS + band;
}

function classOf({ simulated, testBroadcast, confidence }: Position): number {
  if (simulated) return 1;
  if (testBroadcast) return 2;
  return confidenceClass(confidence) === 'inconsistent' ? 3 : 0;
}

/** One number for a kind of position in a cell, by columns and rows of the hour's cells. */
export function cellKey(column: number, row: number, kind: number): number {
  return (row * WORLD_COLUMNS + column) * KINDS + kind;
}

export function kindOfKey(key: number): number {
  return key % KINDS;
}

export function columnOfKey(key: number): number {
  return Math.floor(key / KINDS) % WORLD_COLUMNS;
}

export function rowOfKey(key: number): number {
  return Math.floor(key / KINDS / WORLD_COLUMNS);
}
