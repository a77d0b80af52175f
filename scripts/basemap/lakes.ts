import { contours } from 'd3-contour';
import { BASEMAP_MAX_TILE_ZOOM } from '#components/map/basemap/basemap-tileset.ts';
import { polygonShapes } from './flat-shapes.ts';
import { approximateAreaKm2, type Ring, type RingPoint, signedArea } from './planar-ring.ts';
import type { TileFeature } from './world-archive.ts';

/** Gaps in the source are narrower than about a kilometre. */
const PIECE_GAP_DEG = 0.012;

/** Smaller pieces, a third of the source, are ponds and fragments along shores. */
const PIECE_AREA_MIN_KM2 = 0.5;

/** Natural Earth has a better coast of the Caspian Sea (371,000 km²). */
const LAKE_AREA_MAX_KM2 = 300_000;

/** At the last zoom. Each lower zoom requires four times the area: about 20 px². */
const LAKE_AREA_MIN_KM2 = 14;

/**
 * Lakes as the map draws them. The source has each lake in pieces with gaps: they are painted into a mask of cells, the
 * gaps closed, and the mask outlined.
 */
export function lakeShapes(lakes: GeoJSON.GeometryCollection<GeoJSON.MultiPolygon>): TileFeature[] {
  const pieces = lakes.geometries
    .flatMap(({ coordinates }) => coordinates as unknown as Ring[][])
    .filter(([outline]) => approximateAreaKm2(outline!) >= PIECE_AREA_MIN_KM2);
  const areasKm2 = pieces.map(([outline]) => approximateAreaKm2(outline!));
  const groups = groupTouching(
    pieces.map(([outline]) => outline!),
    PIECE_GAP_DEG,
  );
  return groups
    .filter((group) => {
      const areaKm2 = group.reduce((sum, i) => sum + areasKm2[i]!, 0);
      return areaKm2 >= LAKE_AREA_MIN_KM2 && areaKm2 <= LAKE_AREA_MAX_KM2;
    })
    .flatMap((group) =>
      lakeOutlines(
        group.map((i) => pieces[i]!),
        LAKE_AREA_MIN_KM2 / CELL_AREA_KM2,
      ),
    )
    .flatMap((rings) => {
      const minZoom = lakeMinZoom(approximateAreaKm2(rings[0]!));
      return polygonShapes({ type: 'Polygon', coordinates: rings as unknown as GeoJSON.Position[][] }, minZoom);
    });
}

function lakeMinZoom(areaKm2: number): number {
  const zoom = Math.ceil(BASEMAP_MAX_TILE_ZOOM - Math.log2(areaKm2 / LAKE_AREA_MIN_KM2) / 2);
  return Math.min(BASEMAP_MAX_TILE_ZOOM, Math.max(0, zoom));
}

/**
 * Each result is the outer ring, then islands. Drops shapes under `areaMinCells` cells. The cost grows with the area
 * of the pieces' common box.
 */
export function lakeOutlines(pieces: readonly (readonly Ring[])[], areaMinCells: number): Ring[][] {
  const mask = lakeMask(pieces);
  const smoothed = smoothedAlong(smoothedAlong(new Float32Array(mask.cells), 1), mask.columns);
  const contour = contours()
    .size([mask.columns, mask.rows])
    .contour(smoothed as unknown as number[], 0.5);
  const isLarge = (ring: Ring) => Math.abs(signedArea(ring)) >= areaMinCells;
  return (contour.coordinates as unknown as Ring[][])
    .filter(([outline]) => isLarge(outline!))
    .map((rings) =>
      rings.filter(isLarge).map((ring) => everyOther(ring).map(([column, row]) => mask.toLonLat(column, row))),
    );
}

/** A contour has a point at every side of a cell. */
function everyOther(ring: Ring): Ring {
  return ring.filter((_, i) => i % 2 === 0 || i === ring.length - 1);
}

function smoothedAlong(cells: Float32Array, step: number): Float32Array {
  const result = new Float32Array(cells.length);
  for (let i = step; i < cells.length - step; i++) {
    result[i] = (cells[i - step]! + 2 * cells[i]! + cells[i + step]!) / 4;
  }
  return result;
}

/** Row by row from north to south; 1 is water. The margin is land. */
interface LakeMask {
  readonly columns: number;
  readonly rows: number;
  readonly cells: Uint8Array;
  /** @param column in cells from the north-western corner, as `row` is */
  toLonLat(column: number, row: number): RingPoint;
}

/** About 500 m, the resolution of the source. Cells are square on the ground. */
const CELL_DEG = 0.0045;

/** Closes gaps of up to 2 km: the source has them between pieces of one lake. */
const CLOSING_CELLS = 2;

/** Above this, the gaps are land between many small lakes, as in the tundra. */
const CLOSING_GROWTH_MAX = 1.4;

export const CELL_AREA_KM2 = (CELL_DEG * 111.2) ** 2;

const MARGIN_CELLS = CLOSING_CELLS + 2;

function lakeMask(pieces: readonly (readonly Ring[])[]): LakeMask {
  const { west, south, east, north } = bounds(pieces);
  const cellHeight = CELL_DEG;
  const cellWidth = CELL_DEG / Math.cos((Math.max(Math.abs(south), Math.abs(north)) * Math.PI) / 180);
  const columns = Math.ceil((east - west) / cellWidth) + 2 * MARGIN_CELLS;
  const rows = Math.ceil((north - south) / cellHeight) + 2 * MARGIN_CELLS;
  const left = west - MARGIN_CELLS * cellWidth;
  const top = north + MARGIN_CELLS * cellHeight;

  const filled = new Uint8Array(columns * rows);
  for (const rings of pieces) {
    const inCells = rings.map((ring) =>
      ring.map(([lon, lat]): [number, number] => [(lon - left) / cellWidth, (top - lat) / cellHeight]),
    );
    fill(filled, columns, inCells);
  }
  const closed = spread(spread(filled, columns, rows, 1), columns, rows, 0);
  return {
    columns,
    rows,
    cells: waterCells(closed) > CLOSING_GROWTH_MAX * waterCells(filled) ? filled : closed,
    toLonLat: (column, row) => [left + column * cellWidth, top - row * cellHeight],
  };
}

function waterCells(cells: Uint8Array): number {
  let count = 0;
  for (const cell of cells) count += cell;
  return count;
}

function fill(cells: Uint8Array, columns: number, rings: readonly (readonly [number, number])[][]): void {
  let firstRow = Number.POSITIVE_INFINITY;
  let lastRow = Number.NEGATIVE_INFINITY;
  for (const [, row] of rings[0]!) {
    firstRow = Math.min(firstRow, row);
    lastRow = Math.max(lastRow, row);
  }
  for (let row = Math.floor(firstRow); row <= lastRow; row++) {
    const centre = row + 0.5;
    const crossings: number[] = [];
    for (const ring of rings) {
      for (let i = 1; i < ring.length; i++) {
        const [fromColumn, fromRow] = ring[i - 1]!;
        const [toColumn, toRow] = ring[i]!;
        if (fromRow > centre === toRow > centre) continue;
        crossings.push(fromColumn + ((centre - fromRow) / (toRow - fromRow)) * (toColumn - fromColumn));
      }
    }
    crossings.sort((a, b) => a - b);
    for (let i = 1; i < crossings.length; i += 2) {
      const start = Math.round(crossings[i - 1]!);
      cells.fill(1, row * columns + start, row * columns + Math.max(start, Math.round(crossings[i]!)));
    }
  }
}

function spread(cells: Uint8Array, columns: number, rows: number, value: 0 | 1): Uint8Array {
  return spreadAlong(spreadAlong(cells, columns, rows, 1, columns, value), rows, columns, columns, 1, value);
}

function spreadAlong(
  cells: Uint8Array,
  length: number,
  lines: number,
  step: number,
  lineStep: number,
  value: 0 | 1,
): Uint8Array {
  const result = new Uint8Array(cells.length).fill(1 - value);
  for (let line = 0; line < lines; line++) {
    let lastSeen = Number.NEGATIVE_INFINITY;
    let written = 0;
    for (let i = 0; i < length; i++) {
      if (cells[line * lineStep + i * step] === value) {
        lastSeen = i;
        for (let back = Math.max(written, i - CLOSING_CELLS); back < i; back++) {
          result[line * lineStep + back * step] = value;
        }
      }
      if (i - lastSeen <= CLOSING_CELLS) {
        result[line * lineStep + i * step] = value;
        written = i + 1;
      }
    }
  }
  return result;
}

function bounds(pieces: readonly (readonly Ring[])[]): { west: number; south: number; east: number; north: number } {
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const [outline] of pieces) {
    for (const [lon, lat] of outline!) {
      west = Math.min(west, lon);
      east = Math.max(east, lon);
      south = Math.min(south, lat);
      north = Math.max(north, lat);
    }
  }
  return { west, south, east, north };
}

interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/**
 * Directly or through others. Returns indexes. A ring is stored in every 1° cell that it touches, so rings should be
 * small.
 */
export function groupTouching(rings: readonly Ring[], gapDeg: number): number[][] {
  const boxes = rings.map((ring) => boxAround(ring, gapDeg / 2));
  const parents = rings.map((_, i) => i);
  const root = (i: number): number => {
    let at = i;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  };

  const cells = new Map<number, number[]>();
  for (const [i, box] of boxes.entries()) {
    for (let lon = Math.floor(box.west); lon <= Math.floor(box.east); lon++) {
      for (let lat = Math.floor(box.south); lat <= Math.floor(box.north); lat++) {
        const key = lon * 1000 + lat;
        const cell = cells.get(key);
        if (cell === undefined) {
          cells.set(key, [i]);
          continue;
        }
        for (const other of cell) if (overlap(box, boxes[other]!)) parents[root(i)] = root(other);
        cell.push(i);
      }
    }
  }

  const groups = new Map<number, number[]>();
  for (const i of rings.keys()) {
    const group = groups.get(root(i));
    if (group === undefined) groups.set(root(i), [i]);
    else group.push(i);
  }
  return [...groups.values()];
}

function boxAround(ring: Ring, marginDeg: number): Box {
  let [west, south] = ring[0]!;
  let [east, north] = ring[0]!;
  for (const [lon, lat] of ring) {
    west = Math.min(west, lon);
    east = Math.max(east, lon);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  return { west: west - marginDeg, south: south - marginDeg, east: east + marginDeg, north: north + marginDeg };
}

function overlap(a: Box, b: Box): boolean {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north;
}
