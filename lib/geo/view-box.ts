import type { Bbox } from './bbox.ts';
import { EARTH_RADIUS_M, type LonLat } from './great-circle.ts';
import { nearestCopy, wrapEastEdge, wrapLongitude } from './longitude.ts';
import { mercatorLatDeg, mercatorX, mercatorY } from './mercator.ts';

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

export interface PlacedCamera extends LonLat {
  readonly zoom: number;
}

/** The width of MapLibre's world at zoom 0. */
const WORLD_PX = 512;
/** The tolerance is below the seven decimals of a written box. */
const WORLD_MIN_DEG = 360 - 1e-6;

/** The visible box of a map of this size, north up. */
export function viewBox({ lon, lat, zoom }: PlacedCamera, { width, height }: PixelSize): Bbox {
  const worldPx = WORLD_PX * 2 ** zoom;
  const halfDeg = (width / 2 / worldPx) * 360;
  const halfY = Math.min(0.5, height / 2 / worldPx);
  const y = Math.min(1 - halfY, Math.max(halfY, mercatorY(lat)));
  return wrappedBox({
    west: lon - halfDeg,
    south: mercatorLatDeg(y + halfY),
    east: lon + halfDeg,
    north: mercatorLatDeg(y - halfY),
  });
}

/** Longitudes of a map continue beyond 180°; a box that crosses it has west > east. */
export function wrappedBox({ west, south, east, north }: Bbox): Bbox {
  const lats = { south: Math.max(-90, south), north: Math.min(90, north) };
  if (east - west >= WORLD_MIN_DEG) return { west: -180, ...lats, east: 180 };
  return { west: wrapLongitude(west), ...lats, east: wrapEastEdge(east) };
}

/** The place and zoom at which a map of this size shows the box, whose east may be beyond 180°. */
export function cameraOf({ west, south, east, north }: Bbox, size: PixelSize, maxZoom: number): PlacedCamera {
  const [top, bottom] = [mercatorY(north), mercatorY(south)];
  const zoomX = Math.log2(Math.max(1, size.width) / (WORLD_PX * Math.max(1e-9, mercatorX(east) - mercatorX(west))));
  const zoomY = Math.log2(Math.max(1, size.height) / (WORLD_PX * Math.max(1e-9, bottom - top)));
  return {
    lon: wrapLongitude((west + east) / 2),
    lat: mercatorLatDeg((top + bottom) / 2),
    zoom: Math.min(maxZoom, zoomX, zoomY),
  };
}

/** A flat map: its places in pixels, of which each is the copy nearest to the middle, and its scale there. */
export interface FlatMap {
  readonly at: (place: LonLat) => readonly [x: number, y: number];
  readonly metresPerPx: number;
}

export function flatMap({ lon, lat, zoom }: PlacedCamera, { width, height }: PixelSize): FlatMap {
  const worldPx = WORLD_PX * 2 ** zoom;
  return {
    at: (place) => [
      width / 2 + (mercatorX(nearestCopy(place.lon, lon)) - mercatorX(lon)) * worldPx,
      height / 2 + (mercatorY(place.lat) - mercatorY(lat)) * worldPx,
    ],
    metresPerPx: (2 * Math.PI * EARTH_RADIUS_M * Math.cos((lat * Math.PI) / 180)) / worldPx,
  };
}
