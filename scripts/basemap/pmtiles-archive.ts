import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Compression, TileType, zxyToTileId } from 'pmtiles';
import { archiveHead } from './archive-head.ts';
import type { DirectoryEntry } from './pmtiles-directory.ts';

/** Not compressed. */
export interface Tile {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  readonly data: Uint8Array;
}

export interface ArchiveDescription {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Degrees: west, south, east, north. */
  readonly bounds: readonly [number, number, number, number];
  /** Default: vector tiles. PNG tiles are stored as they are. */
  readonly tiles?: 'png';
  readonly center: { readonly lon: number; readonly lat: number; readonly zoom: number };
}

/**
 * PMTiles v3, clustered; equal tiles are stored once.
 * @throws RangeError if there are no tiles or an address is repeated
 */
export function pmtilesArchive(tiles: Iterable<Tile>, description: ArchiveDescription): Uint8Array {
  const ordered = [...tiles]
    .map((tile) => ({ ...tile, id: zxyToTileId(tile.z, tile.x, tile.y) }))
    .sort((a, b) => a.id - b.id);
  if (ordered.length === 0) throw new RangeError('an archive needs at least one tile');

  const entries: DirectoryEntry[] = [];
  const contents: Uint8Array[] = [];
  const placeOfContent = new Map<string, { offset: number; length: number }>();
  let dataBytes = 0;
  for (const [i, tile] of ordered.entries()) {
    if (ordered[i - 1]?.id === tile.id) throw new RangeError(`tile ${tile.z}/${tile.x}/${tile.y} comes twice`);
    const key = createHash('sha256').update(tile.data).digest('base64');
    let place = placeOfContent.get(key);
    if (place === undefined) {
      const stored =
        description.tiles === 'png'
          ? tile.data
          : gzipSync(tile.data, { level: 9, chunkSize: Math.max(64, tile.data.byteLength + 64) });
      place = { offset: dataBytes, length: stored.byteLength };
      placeOfContent.set(key, place);
      contents.push(stored);
      dataBytes += stored.byteLength;
    }
    const last = entries.at(-1);
    if (last !== undefined && last.offset === place.offset && last.tileId + last.runLength === tile.id) {
      entries[entries.length - 1] = { ...last, runLength: last.runLength + 1 };
    } else {
      entries.push({ tileId: tile.id, ...place, runLength: 1 });
    }
  }

  const { metadata, bounds, center, tiles: kind } = description;
  const head = archiveHead(entries, {
    metadata,
    bounds,
    center,
    tileType: kind === 'png' ? TileType.Png : TileType.Mvt,
    tileCompression: kind === 'png' ? Compression.None : Compression.Gzip,
    minZoom: ordered[0]!.z,
    maxZoom: ordered.at(-1)!.z,
    dataBytes,
    tileContents: contents.length,
  });
  return Buffer.concat([head, ...contents]);
}
