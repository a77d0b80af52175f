/** Header only, almost half the screen, or all below the top bar. */
const SHEET_STOPS = ['peek', 'half', 'full'] as const;
export type SheetStop = (typeof SHEET_STOPS)[number];

export type SheetHeights = Readonly<Record<SheetStop, number>>;

/**
 * @param peekPx height of the sheet's header
 * @param spacePx height of the screen below the top bar
 */
export function sheetHeights(peekPx: number, spacePx: number): SheetHeights {
  return { peek: peekPx, half: Math.max(peekPx, Math.round(spacePx * 0.45)), full: Math.max(peekPx, spacePx) };
}

/** The stop nearest to `heightPx`, where the sheet was released. */
export function nearestStop(heightPx: number, heights: SheetHeights): SheetStop {
  return SHEET_STOPS.reduce((best, stop) =>
    Math.abs(heights[stop] - heightPx) < Math.abs(heights[best] - heightPx) ? stop : best,
  );
}
