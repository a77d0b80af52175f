import 'server-only';
import { createHash } from 'node:crypto';
import { type BigIntStats, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { bytesToHeader, Compression, type Header, TileType } from 'pmtiles';
import { z } from 'zod';

const HEADER_BYTES = 127;
const MAGIC = 'PMTiles';
/** No writer makes a larger directory. */
const PART_MAX_BYTES = 16 * 1024 * 1024;

/** The compressions that every browser decodes. Some writers mean none by `Unknown`. */
const COMPRESSIONS: readonly Compression[] = [Compression.Unknown, Compression.None, Compression.Gzip];
const TILE_TYPES: readonly TileType[] = [TileType.Mvt, TileType.Png, TileType.Jpeg, TileType.Webp];

const GROUND_LAYER = 'earth';
const PROTOMAPS_MAJOR = '4';

const metadataSchema = z.looseObject({
  name: z.string().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  vector_layers: z
    .array(z.looseObject({ id: z.string() }))
    .optional()
    .catch(undefined),
});

/** A strong validator (RFC 9110) that changes with the file. */
export function fileVersion({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  const what = [dev, ino, size, mtimeNs, ctimeNs].join();
  return `"${createHash('sha256').update(what).digest('hex').slice(0, 24)}"`;
}

/**
 * The problem of a map file, as the end of a sentence that begins with the file's name.
 * @param size in bytes
 */
export function mapFileProblem(fd: number, size: number): string | undefined {
  const start = readPart(fd, 0, Math.min(size, HEADER_BYTES));
  const problem = archiveStartProblem(start);
  if (problem !== undefined) return problem;
  const header = bytesToHeader(new Uint8Array(start).buffer);
  return sizeProblem(header, size) ?? tilesProblem(header) ?? contentProblem(fd, header);
}

export function archiveStartProblem(start: Buffer): string | undefined {
  if (start.byteLength < HEADER_BYTES || start.toString('latin1', 0, MAGIC.length) !== MAGIC)
    return 'is not a PMTiles archive; make one with pmtiles extract or pmtiles convert';
  if (start[MAGIC.length] !== 3)
    return `is a PMTiles archive of version ${start[MAGIC.length]}; convert it to version 3 with pmtiles convert`;
  return undefined;
}

function sizeProblem(header: Header, size: number): string | undefined {
  const end = Math.max(
    header.rootDirectoryOffset + header.rootDirectoryLength,
    header.jsonMetadataOffset + header.jsonMetadataLength,
    header.leafDirectoryOffset + (header.leafDirectoryLength ?? 0),
    header.tileDataOffset + (header.tileDataLength ?? 0),
  );
  return size < end ? `is cut short: it has ${size} bytes of ${end}; copy it again` : undefined;
}

export function tilesProblem(header: Header): string | undefined {
  if (!TILE_TYPES.includes(header.tileType))
    return 'has tiles of a kind that is not drawn; use vector tiles (MVT) or images (PNG, JPEG, WebP)';
  if (![header.internalCompression, header.tileCompression].every((kind) => COMPRESSIONS.includes(kind)))
    return 'is compressed in a way that browsers do not undo; write it with gzip, or without compression';
  if (header.minZoom > header.maxZoom || header.rootDirectoryLength === 0) return 'has no tiles';
  return undefined;
}

function contentProblem(fd: number, header: Header): string | undefined {
  try {
    if (part(fd, header, header.rootDirectoryOffset, header.rootDirectoryLength).byteLength < 2) return 'has no tiles';
  } catch {
    return 'is damaged: its directory cannot be read; copy it again';
  }
  if (header.tileType !== TileType.Mvt) return undefined;
  try {
    const text = part(fd, header, header.jsonMetadataOffset, header.jsonMetadataLength).toString('utf8');
    return mapSchemaProblem(JSON.parse(text));
  } catch {
    return 'is damaged: its metadata cannot be read; copy it again';
  }
}

/**
 * A file that names no schema counts as Protomaps.
 * @throws Error for invalid metadata
 */
export function mapSchemaProblem(metadata: unknown): string | undefined {
  const { name, version, vector_layers } = metadataSchema.parse(metadata);
  const layers = vector_layers?.map(({ id }) => id);
  if (layers !== undefined && !layers.includes(GROUND_LAYER))
    return `has vector tiles that are not in the Protomaps schema (their layers: ${layers.slice(0, 8).join(', ') || 'none'}); cut a region from a Protomaps build, or use MAP_STYLE_URL`;
  const [major] = version?.split('.') ?? [];
  if (name?.startsWith('Protomaps') && major !== undefined && major !== PROTOMAPS_MAJOR)
    return `is in version ${version} of the Protomaps schema; cut a region from a build of version ${PROTOMAPS_MAJOR}`;
  return undefined;
}

function part(fd: number, { internalCompression }: Header, offset: number, length: number): Buffer {
  if (length > PART_MAX_BYTES) throw new RangeError('too large');
  const bytes = readPart(fd, offset, length);
  return internalCompression === Compression.Gzip ? gunzipSync(bytes, { maxOutputLength: PART_MAX_BYTES }) : bytes;
}

function readPart(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
}
