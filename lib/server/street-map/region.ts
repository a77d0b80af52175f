import 'server-only';
import { zxyToTileId } from 'pmtiles';
import { EARTH_RADIUS_M } from '#lib/geo/great-circle.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { FetchFailure } from './range-source.ts';

export interface Around {
  readonly lat: number;
  readonly lon: number;
  readonly radiusKm: number;
}

/** Degrees. Longitudes may continue past 180°. */
export interface RegionBox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

const RAD = Math.PI / 180;
const LAT_MAX_DEG = 85;
const RADIUS_MAX_KM = 1000;
/** Their ids take 8 MB. */
const TILES_MAX = 1_000_000;

/** Keeps a southern place from being an option: `--around -33.9,18.4,60km`. */
export function withSouthernPlace(args: readonly string[]): string[] {
  return args.flatMap((arg, i) => {
    if (arg === '--around' && /^-\d/.test(args[i + 1] ?? '')) return [`${arg}=${args[i + 1]}`];
    return args[i - 1] === '--around' && /^-\d/.test(arg) ? [] : [arg];
  });
}

/** `47.46,8.55,60km`. @throws FetchFailure */
export function parseAround(text: string): Around {
  const [, lat, lon, radiusKm] = /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?),(\d+(?:\.\d+)?)km$/.exec(text.trim()) ?? [];
  const around = { lat: Number(lat), lon: Number(lon), radiusKm: Number(radiusKm) };
  const isKnown = Math.abs(around.lat) <= LAT_MAX_DEG && Math.abs(around.lon) <= 180;
  if (!isKnown || !(around.radiusKm > 0 && around.radiusKm <= RADIUS_MAX_KM))
    throw new FetchFailure(
      `--around must be LATITUDE,LONGITUDE,RADIUSkm, up to ${RADIUS_MAX_KM} km and ${LAT_MAX_DEG}° of latitude, such as 47.46,8.55,60km.`,
    );
  return around;
}

/** On the sphere: all longitudes if a pole is inside. */
export function regionBox({ lat, lon, radiusKm }: Around): RegionBox {
  const radius = (radiusKm * 1000) / EARTH_RADIUS_M;
  const heightDeg = radius / RAD;
  const isPolar = Math.abs(lat) + heightDeg >= 90;
  const widthDeg = isPolar ? 180 : Math.asin(Math.sin(radius) / Math.cos(lat * RAD)) / RAD;
  return {
    west: lon - widthDeg,
    south: Math.max(-LAT_MAX_DEG, lat - heightDeg),
    east: lon + widthDeg,
    north: Math.min(LAT_MAX_DEG, lat + heightDeg),
  };
}

/** Ascending. @throws FetchFailure if they are too many */
export function regionTileIds({ west, south, east, north }: RegionBox, minZoom: number, maxZoom: number): number[] {
  const ids: number[] = [];
  for (let z = minZoom; z <= maxZoom; z++) {
    const side = 2 ** z;
    const row = (lat: number) => Math.min(side - 1, Math.floor(mercatorY(lat) * side));
    const [left, top, bottom] = [Math.floor(mercatorX(west) * side), row(north), row(south)];
    const right = Math.min(left + side - 1, Math.floor(mercatorX(east) * side));
    if (ids.length + (right - left + 1) * (bottom - top + 1) > TILES_MAX)
      throw new FetchFailure(
        `The region has more than ${TILES_MAX} tiles: take a smaller radius, or --max-zoom ${z - 1}.`,
      );
    for (let x = left; x <= right; x++)
      for (let y = top; y <= bottom; y++) ids.push(zxyToTileId(z, ((x % side) + side) % side, y));
  }
  return ids.sort((a, b) => a - b);
}
