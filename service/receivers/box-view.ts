import { type Bbox, eastPastWest } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { mercatorLatDeg, mercatorX, mercatorY } from '#lib/geo/mercator.ts';

/** Zoom is in MapLibre's levels, for tiles of 512 px. */
export interface BoxView {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

const ZOOM_MIN = 2;
const ZOOM_MAX = 10;
const SHOWN_PX = 640;
const TILE_PX = 512;

export function boxView(bbox: Bbox): BoxView {
  const [top, bottom] = [mercatorY(bbox.north), mercatorY(bbox.south)];
  const east = eastPastWest(bbox);
  const widest = Math.max(mercatorX(east) - mercatorX(bbox.west), bottom - top);
  const zoom = Math.log2(SHOWN_PX / TILE_PX / widest);
  return {
    lat: tenths(mercatorLatDeg((top + bottom) / 2)),
    lon: tenths(wrapLongitude((bbox.west + east) / 2)),
    zoom: Math.floor(Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, zoom)) * 10) / 10,
  };
}

function tenths(value: number): number {
  // Turns -0 into 0.
  return Math.round(value * 10) / 10 + 0;
}
