import { gzipSync } from 'node:zlib';
import { Compression, type TileType } from 'pmtiles';
import { buildDirectories, type DirectoryEntry } from './pmtiles-directory.ts';

export interface ArchiveContents {
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
