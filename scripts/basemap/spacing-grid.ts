interface Point {
  readonly x: number;
  readonly y: number;
}

/** Keeps the spacing from taken points, and half of it from reserved ones. */
export class SpacingGrid {
  private readonly taken = new PointCells();
  private readonly reserved = new PointCells();
  private readonly spacingX: number;
  private readonly spacingY: number;

  constructor(spacingX: number, spacingY: number) {
    this.spacingX = spacingX;
    this.spacingY = spacingY;
  }

  take(x: number, y: number): void {
    this.taken.add(x / this.spacingX, y / this.spacingY);
  }

  /** A small place with room in an earlier grid must not displace a large one for good. */
  reserve(x: number, y: number): void {
    this.reserved.add(x / this.spacingX, y / this.spacingY);
  }

  /** `factor` (≥ 1) multiplies the distance to taken points. */
  isFree(x: number, y: number, factor: number): boolean {
    const column = x / this.spacingX;
    const row = y / this.spacingY;
    return !this.taken.hasWithin(column, row, factor) && !this.reserved.hasWithin(column, row, 0.5);
  }
}

class PointCells {
  private readonly cells = new Map<number, Point[]>();

  add(x: number, y: number): void {
    const key = cellKey(Math.floor(x), Math.floor(y));
    const cell = this.cells.get(key);
    if (cell === undefined) this.cells.set(key, [{ x, y }]);
    else cell.push({ x, y });
  }

  hasWithin(x: number, y: number, distance: number): boolean {
    for (let column = Math.floor(x - distance); column <= x + distance; column++) {
      for (let row = Math.floor(y - distance); row <= y + distance; row++) {
        const cell = this.cells.get(cellKey(column, row)) ?? [];
        if (cell.some((point) => Math.hypot(point.x - x, point.y - y) < distance)) return true;
      }
    }
    return false;
  }
}

function cellKey(column: number, row: number): number {
  return row * 2 ** 24 + column;
}
