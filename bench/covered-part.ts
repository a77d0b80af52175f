/** The area of one mark on screen, around its position. */
export interface MarkArea {
  readonly x: number;
  readonly y: number;
  /** Nothing of it lies further away. */
  readonly reachPx: number;
  /** Whether it covers the point this far from its position. */
  covers(dx: number, dy: number): boolean;
}

/** Side of the squares in which area is counted. */
const STEP_PX = 0.5;

/** The part of all marks' area that marks drawn later cover: 0 if all stand free. */
export function coveredPart(marks: readonly MarkArea[], widthPx: number, heightPx: number): number {
  const columns = Math.round(widthPx / STEP_PX);
  const rows = Math.round(heightPx / STEP_PX);
  const top = new Uint8Array(columns * rows);
  let area = 0;
  let covered = 0;
  for (const { x, y, reachPx, covers } of marks) {
    const lastRow = Math.min(rows - 1, Math.floor((y + reachPx) / STEP_PX));
    const lastColumn = Math.min(columns - 1, Math.floor((x + reachPx) / STEP_PX));
    for (let row = Math.max(0, Math.floor((y - reachPx) / STEP_PX)); row <= lastRow; row++) {
      for (let column = Math.max(0, Math.floor((x - reachPx) / STEP_PX)); column <= lastColumn; column++) {
        if (!covers((column + 0.5) * STEP_PX - x, (row + 0.5) * STEP_PX - y)) continue;
        area++;
        // Whoever was on top here before is now covered; those below it were counted when it came.
        if (top[row * columns + column] === 1) covered++;
        top[row * columns + column] = 1;
      }
    }
  }
  return area === 0 ? 0 : covered / area;
}
