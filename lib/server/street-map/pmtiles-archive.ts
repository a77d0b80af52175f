// Without `server-only`, since it also writes the built-in map, in a process that is no server.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { PbfWriter } from 'pbf';
import { Compression, TileType, zxyToTileId } from 'pmtiles';

/** A tile that is not compressed. */
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

interface ArchiveContents {
  readonly metadata: unknown;
  /** Degrees: west, south, east, north. */
  readonly bounds: readonly [number, number, number, number];
  readonly center: { readonly lon: number; readonly lat: number; readonly zoom: number };
  readonly tileType: TileType;
  readonly tileCompression: Compression;
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly dataBytes: number;
  readonly tileContents: number;
}

const HEADER_BYTES = 127;
/** PMTiles v3: readers find the whole root directory in the first request. */
const HEADER_AND_ROOT_BYTES_MAX = 16_384;

/** @param entries ascending by `tileId`, at least one; offsets count from the first tile */
export function archiveHead(entries: readonly DirectoryEntry[], contents: ArchiveContents): Buffer {
  const { root, leaves } = buildDirectories(entries, HEADER_AND_ROOT_BYTES_MAX - HEADER_BYTES);
  const metadata = gzipSync(JSON.stringify(contents.metadata), { level: 9 });
  const rootOffset = HEADER_BYTES;
  const metadataOffset = rootOffset + root.byteLength;
  const leavesOffset = metadataOffset + metadata.byteLength;
  const wide = [
    rootOffset,
    root.byteLength,
    metadataOffset,
    metadata.byteLength,
    leavesOffset,
    leaves.byteLength,
    leavesOffset + leaves.byteLength,
    contents.dataBytes,
    entries.reduce((sum, { runLength }) => sum + runLength, 0),
    entries.length,
    contents.tileContents,
  ];
  return Buffer.concat([header(wide, contents), root, metadata, leaves]);
}

/**
 * "Header Design" of PMTiles v3.
 * @param wide fields of eight bytes, in order
 */
function header(wide: readonly number[], contents: ArchiveContents): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write('PMTiles', 0, 'latin1');
  bytes.writeUInt8(3, 7);
  for (const [i, value] of wide.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 + 8 * i);
  bytes.writeUInt8(1, 96); // clustered
  bytes.writeUInt8(Compression.Gzip, 97); // directories and metadata
  bytes.writeUInt8(contents.tileCompression, 98);
  bytes.writeUInt8(contents.tileType, 99);
  bytes.writeUInt8(contents.minZoom, 100);
  bytes.writeUInt8(contents.maxZoom, 101);
  for (const [i, deg] of contents.bounds.entries()) bytes.writeInt32LE(Math.round(deg * 1e7), 102 + 4 * i);
  bytes.writeUInt8(contents.center.zoom, 118);
  bytes.writeInt32LE(Math.round(contents.center.lon * 1e7), 119);
  bytes.writeInt32LE(Math.round(contents.center.lat * 1e7), 123);
  return bytes;
}

/** A `runLength` of 0 points to a leaf directory. */
export interface DirectoryEntry {
  readonly tileId: number;
  readonly offset: number;
  readonly length: number;
  readonly runLength: number;
}

interface Directories {
  readonly root: Uint8Array;
  /** Concatenated; empty if the root has every entry. */
  readonly leaves: Uint8Array;
}

/** "Directory Serialization" of PMTiles v3. Entries ascend by `tileId`. */
function serializeDirectory(entries: readonly DirectoryEntry[]): Uint8Array {
  const idSteps = entries.map((entry, i) => entry.tileId - (entries[i - 1]?.tileId ?? 0));
  const offsets = entries.map((entry, i) => {
    const previous = entries[i - 1];
    return previous !== undefined && entry.offset === previous.offset + previous.length ? 0 : entry.offset + 1;
  });
  const columns = new PbfWriter();
  const write = (numbers: readonly number[]) => {
    for (const number of numbers) columns.writeVarint(number);
  };
  write([entries.length]);
  write(idSteps);
  write(entries.map((entry) => entry.runLength));
  write(entries.map((entry) => entry.length));
  write(offsets);
  return gzipSync(columns.finish(), { level: 9 });
}

/** A single root if it fits in `rootBytesMax`. Otherwise equal leaves, doubled until the root fits. */
function buildDirectories(entries: readonly DirectoryEntry[], rootBytesMax: number): Directories {
  const single = serializeDirectory(entries);
  if (single.byteLength <= rootBytesMax) return { root: single, leaves: new Uint8Array() };

  for (let leafSize = 512; ; leafSize *= 2) {
    const leaves: Uint8Array[] = [];
    const pointers: DirectoryEntry[] = [];
    let offset = 0;
    for (let start = 0; start < entries.length; start += leafSize) {
      const leaf = serializeDirectory(entries.slice(start, start + leafSize));
      pointers.push({ tileId: entries[start]!.tileId, offset, length: leaf.byteLength, runLength: 0 });
      leaves.push(leaf);
      offset += leaf.byteLength;
    }
    const root = serializeDirectory(pointers);
    if (root.byteLength <= rootBytesMax) return { root, leaves: Buffer.concat(leaves) };
  }
}
