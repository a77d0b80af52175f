import 'server-only';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxCovers, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';

/** A tile takes at least one request, and many for an hour of a busy place. */
export const TILES_MAX = 16;

export function isWide(area: Bbox): boolean {
  return lonSpanDeg(area) > HISTORY_MAX_SPAN_DEG || latSpanDeg(area) > HISTORY_MAX_SPAN_DEG;
}

/**
 * Grown to a grid, so that operators with nearly the same view share loads. Idempotent.
 * @param centre default: the centre of the area
 */
export function middleBoxes(area: Bbox, centre?: LonLat): readonly Bbox[] {
  const { bbox } = capBbox(area, HISTORY_MAX_SPAN_DEG, centre);
  return splitAtAntimeridian(bbox).map(grownFully);
}

/** A grown box may be large enough for a coarser grid. */
function grownFully(box: Bbox): Bbox {
  const grown = growToGrid(box, HISTORY_MAX_SPAN_DEG);
  return bboxCovers(box, grown) ? box : grownFully(grown);
}

/** Tiles of a fixed grid, which other views share; `undefined` where there are more than `TILES_MAX`. */
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
