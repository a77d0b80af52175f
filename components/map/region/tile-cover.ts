import { findTile, type Header, type PMTiles, zxyToTileId } from 'pmtiles';
import { boxRing } from '#lib/geo/box-ring.ts';
import { mercatorLatDeg, mercatorX, mercatorY } from '#lib/geo/mercator.ts';

/** So many tiles are looked up in the file's directory. */
const MAX_TILES = 256;

export async function tileCover(reader: PMTiles, header: Header): Promise<GeoJSON.MultiPolygon> {
  const { minLon, minLat, maxLon, maxLat } = header;
  const rows = new Map<number, number[]>();
  const z = coverZoom(header);
  const side = 2 ** z;
  const tile = (unit: number) => Math.min(side - 1, Math.max(0, Math.floor(unit * side)));
  for (let y = tile(mercatorY(maxLat)); y <= tile(mercatorY(minLat)); y++) {
    const row: number[] = [];
    for (let x = tile(mercatorX(minLon)); x <= tile(mercatorX(maxLon)); x++)
      if (await hasTile(reader, header, zxyToTileId(z, x, y))) row.push(x);
    rows.set(y, row);
  }
  const polygons = [...rows].flatMap(([y, row]) =>
    runs(row).map(([first, last]) => {
      const west = Math.max(minLon, (first / side) * 360 - 180);
      const east = Math.min(maxLon, ((last + 1) / side) * 360 - 180);
      const north = Math.min(maxLat, mercatorLatDeg(y / side));
      const south = Math.max(minLat, mercatorLatDeg((y + 1) / side));
      return [boxRing({ west, south, east, north })];
    }),
  );
  return { type: 'MultiPolygon', coordinates: polygons };
}

function coverZoom({ minLon, minLat, maxLon, maxLat, minZoom, maxZoom }: Header): number {
  const width = mercatorX(maxLon) - mercatorX(minLon);
  const height = mercatorY(minLat) - mercatorY(maxLat);
  let z = minZoom;
  while (z < maxZoom && (width * 2 ** (z + 1) + 1) * (height * 2 ** (z + 1) + 1) <= MAX_TILES) z++;
  return z;
}

async function hasTile(reader: PMTiles, header: Header, id: number): Promise<boolean> {
  let [offset, length] = [header.rootDirectoryOffset, header.rootDirectoryLength];
  for (let depth = 0; depth <= 3; depth++) {
    const entry = findTile(await reader.cache.getDirectory(reader.source, offset, length, header), id);
    if (!entry) return false;
    if (entry.runLength > 0) return true;
    [offset, length] = [header.leafDirectoryOffset + entry.offset, entry.length];
  }
  return false;
}

function runs(sorted: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const at of sorted) {
    const run = found.at(-1);
    if (run && run[1] === at - 1) run[1] = at;
    else found.push([at, at]);
  }
  return found;
}
