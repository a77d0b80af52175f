import 'server-only';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxCovers, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';

/** The most tiles of a replay: each takes at least one request, and many for an hour of a busy place. */
export const TILES_MAX = 16;

/** Whether an area is wider or higher than a single history request allows. */
export function isWide(area: Bbox): boolean {
  return lonSpanDeg(area) > HISTORY_MAX_SPAN_DEG || latSpanDeg(area) > HISTORY_MAX_SPAN_DEG;
}

/**
 * The boxes around the centre of an area, as large as one request allows (two where they cross 180°). Boxes are grown to a
 * grid, so that operators with nearly the same view share what is loaded. Applied to its own result, it changes nothing.
 * @param centre default: the centre of the area
 */
export function middleBoxes(area: Bbox, centre?: LonLat): readonly Bbox[] {
  const { bbox } = capBbox(area, HISTORY_MAX_SPAN_DEG, centre);
  return splitAtAntimeridian(bbox).map(grownFully);
}

/** A grown box may be large enough for a coarser grid: it is grown until it no longer changes. */
function grownFully(box: Bbox): Bbox {
  const grown = growToGrid(box, HISTORY_MAX_SPAN_DEG);
  return bboxCovers(box, grown) ? box : grownFully(grown);
}

/**
 * The whole area in tiles of a fixed grid, each as large as one request allows: neighbouring and later views share them.
 * `undefined` where there are more than `TILES_MAX`.
 */
export function tilesOf(area: Bbox): readonly Bbox[] | undefined {
  const tiles: Bbox[] = [];
  const step = HISTORY_MAX_SPAN_DEG;
  for (const { west, south, east, north } of splitAtAntimeridian(area)) {
    for (let lon = Math.floor(west / step) * step; lon < east; lon += step) {
      for (let lat = Math.floor(south / step) * step; lat < north; lat += step) {
        if (tiles.length >= TILES_MAX) return undefined;
        tiles.push({ west: lon, south: lat, east: lon + step, north: lat + step });
      }
    }
  }
  return tiles;
}
