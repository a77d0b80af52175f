/** Where the sheet of a small screen rests: its header alone, half of the screen, all of it below the bar. */
const sheetStops = ['peek', 'half', 'full'] as const;
export type SheetStop = (typeof sheetStops)[number];

export type SheetHeights = Readonly<Record<SheetStop, number>>;

/** @param roomPx height below the bar */
export function sheetHeights(peekPx: number, roomPx: number): SheetHeights {
  return { peek: peekPx, half: Math.max(peekPx, Math.round(roomPx * 0.55)), full: Math.max(peekPx, roomPx) };
}

/** The stop that a sheet let go at `heightPx` falls to. */
export function nearestStop(heightPx: number, heights: SheetHeights): SheetStop {
  return sheetStops.reduce((best, stop) =>
    Math.abs(heights[stop] - heightPx) < Math.abs(heights[best] - heightPx) ? stop : best,
  );
}
