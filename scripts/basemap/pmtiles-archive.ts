import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { buildDirectories, type DirectoryEntry } from './pmtiles-directory.ts';
import { tileId } from './tile-id.ts';

/** One tile, not yet compressed. */
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
  /** Vector tiles, unless it is said that they are pictures; those are stored as they are. */
  readonly tiles?: 'png';
  readonly center: { readonly lon: number; readonly lat: number; readonly zoom: number };
}

const HEADER_BYTES = 127;
/** PMTiles v3: a reader fetches the first 16,384 bytes and may rely on finding the whole root directory there. */
const HEADER_AND_ROOT_BYTES_MAX = 16_384;
const GZIP = 2;
const UNCOMPRESSED = 1;
const MVT = 1;
const PNG = 2;

/**
 * Builds a PMTiles v3 archive from tiles in any order: clustered, equal tiles stored once, tiles and directories
 * compressed with gzip (pictures are not). Throws a RangeError if there are no tiles or if an address is repeated.
 */
export function pmtilesArchive(tiles: Iterable<Tile>, description: ArchiveDescription): Uint8Array {
  const ordered = [...tiles]
    .map((tile) => ({ ...tile, id: tileId(tile.z, tile.x, tile.y) }))
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

  const { root, leaves } = buildDirectories(entries, HEADER_AND_ROOT_BYTES_MAX - HEADER_BYTES);
  const metadata = gzipSync(JSON.stringify(description.metadata), { level: 9 });
  const header = archiveHeader(description, {
    rootBytes: root.byteLength,
    metadataBytes: metadata.byteLength,
    leavesBytes: leaves.byteLength,
    dataBytes,
    addressedTiles: ordered.length,
    tileEntries: entries.length,
    tileContents: contents.length,
    minZoom: ordered[0]!.z,
    maxZoom: ordered.at(-1)!.z,
  });
  return Buffer.concat([header, root, metadata, leaves, ...contents]);
}

interface ArchiveCounts {
  readonly rootBytes: number;
  readonly metadataBytes: number;
  readonly leavesBytes: number;
  readonly dataBytes: number;
  readonly addressedTiles: number;
  readonly tileEntries: number;
  readonly tileContents: number;
  readonly minZoom: number;
  readonly maxZoom: number;
}

/** The fields of "Header Design" in PMTiles v3. */
function archiveHeader({ bounds, center, tiles }: ArchiveDescription, counts: ArchiveCounts): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles', 0, 'latin1');
  header.writeUInt8(3, 7);

  const rootOffset = HEADER_BYTES;
  const metadataOffset = rootOffset + counts.rootBytes;
  const leavesOffset = metadataOffset + counts.metadataBytes;
  const dataOffset = leavesOffset + counts.leavesBytes;
  const wide = [
    rootOffset,
    counts.rootBytes,
    metadataOffset,
    counts.metadataBytes,
    leavesOffset,
    counts.leavesBytes,
    dataOffset,
    counts.dataBytes,
    counts.addressedTiles,
    counts.tileEntries,
    counts.tileContents,
  ];
  for (const [i, value] of wide.entries()) header.writeBigUInt64LE(BigInt(value), 8 + 8 * i);

  header.writeUInt8(1, 96); // clustered
  header.writeUInt8(GZIP, 97); // directories and metadata
  header.writeUInt8(tiles === 'png' ? UNCOMPRESSED : GZIP, 98); // tiles
  header.writeUInt8(tiles === 'png' ? PNG : MVT, 99);
  header.writeUInt8(counts.minZoom, 100);
  header.writeUInt8(counts.maxZoom, 101);
  for (const [i, deg] of bounds.entries()) header.writeInt32LE(Math.round(deg * 1e7), 102 + 4 * i);
  header.writeUInt8(center.zoom, 118);
  header.writeInt32LE(Math.round(center.lon * 1e7), 119);
  header.writeInt32LE(Math.round(center.lat * 1e7), 123);
  return header;
}
