import 'server-only';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxCovers, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';

/** No replay is made of more: at one request each, and an hour of a busy place takes many. */
export const TILES_MAX = 16;

/** Whether an area is wider or higher than one history request may be. */
export function isWide(asked: Bbox): boolean {
  return lonSpanDeg(asked) > HISTORY_MAX_SPAN_DEG || latSpanDeg(asked) > HISTORY_MAX_SPAN_DEG;
}

/**
 * What lies around the centre of an area, as much as one request may ask for (two where it crosses 180°). Boxes are grown to a
 * grid, so that operators who look at nearly the same share what is loaded; the middle of what was loaded is what was loaded.
 * @param centre default: the middle of the area
 */
export function middleBoxes(asked: Bbox, centre?: LonLat): readonly Bbox[] {
  const { bbox } = capBbox(asked, HISTORY_MAX_SPAN_DEG, centre);
  return splitAtAntimeridian(bbox).map(grownForGood);
}

/** A grown box may be large enough for a coarser grid: it is grown until it stays as it is. */
function grownForGood(box: Bbox): Bbox {
  const grown = growToGrid(box, HISTORY_MAX_SPAN_DEG);
  return bboxCovers(box, grown) ? box : grownForGood(grown);
}

/**
 * All of an area in tiles of a fixed grid, each as large as one request may ask for: neighbours and later views share them.
 * `undefined` where those are too many.
 */
export function tilesOf(asked: Bbox): readonly Bbox[] | undefined {
  const tiles: Bbox[] = [];
  const step = HISTORY_MAX_SPAN_DEG;
  for (const { west, south, east, north } of splitAtAntimeridian(asked)) {
    for (let lon = Math.floor(west / step) * step; lon < east; lon += step) {
      for (let lat = Math.floor(south / step) * step; lat < north; lat += step) {
        if (tiles.length >= TILES_MAX) return undefined;
        tiles.push({ west: lon, south: lat, east: lon + step, north: lat + step });
      }
    }
  }
  return tiles;
}
