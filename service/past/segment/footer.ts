import { crc32 } from 'node:zlib';
import { ByteReader } from '#lib/columns/byte-reader.ts';
import { DamagedBytes } from '#lib/columns/damaged-bytes.ts';
import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { isReadVersion } from '#lib/version/file-version.ts';
import type { BoxInSteps } from '../box-in-steps.ts';
import { requireCrc } from '../columns/checked-zstd.ts';
import { PART_NAMES, type PartName } from '../columns/chunk.ts';
import { type LayerPeriod, PERIOD_MS, periodStart } from '../period.ts';

export interface Block {
  readonly offset: number;
  readonly length: number;
  readonly crc: number;
}

/** Times are ms since the start of the period, both inclusive. */
export interface Chunk {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly box: BoxInSteps;
  readonly parts: Readonly<Record<PartName, Block>>;
}

export interface Footer extends LayerPeriod {
  /** False if some records could not be read when the segment was written. */
  readonly isWhole: boolean;
  readonly dictionary: Block;
  readonly trackBoxes: Block;
  readonly chunks: readonly Chunk[];
}

export const LAYER_CODES: readonly Layer[] = ['adsb', 'rid'];
const FORMAT_VERSION = 3;
const MAGIC = 0x4c4b5350;
/** Length and CRC of the footer, version, magic. */
export const TRAILER_BYTES = 16;

const HEAD_BYTES = 36;
const CHUNK_BYTES = 52;

/** With its trailer. All numbers are little-endian. */
export function writeFooter({ layer, start, isWhole, dictionary, trackBoxes, chunks }: Footer): Uint8Array {
  const bytes = Buffer.alloc(HEAD_BYTES + chunks.length * CHUNK_BYTES + TRAILER_BYTES);
  let at = 0;
  const uint32 = (value: number) => {
    at = bytes.writeUInt32LE(value >>> 0, at);
  };
  uint32(LAYER_CODES.indexOf(layer));
  at = bytes.writeDoubleLE(epochMs(start), at);
  uint32(isWhole ? 1 : 0);
  for (const { length, crc } of [dictionary, trackBoxes]) {
    uint32(length);
    uint32(crc);
  }
  uint32(chunks.length);
  for (const { count, firstMs, lastMs, box, parts } of chunks) {
    for (const value of [count, firstMs, lastMs, box.west, box.south, box.east, box.north]) uint32(value);
    for (const name of PART_NAMES) {
      uint32(parts[name].length);
      uint32(parts[name].crc);
    }
  }
  const footer = bytes.subarray(0, at);
  uint32(footer.length);
  uint32(crc32(footer));
  uint32(FORMAT_VERSION);
  uint32(MAGIC);
  return bytes;
}

/** Without the trailer. Throws DamagedBytes, or OtherVersion. */
export function footerLength(trailer: Uint8Array): number {
  const reader = new ByteReader(trailer);
  const length = reader.uint32();
  reader.uint32();
  const version = reader.uint32();
  if (reader.uint32() !== MAGIC) throw new DamagedBytes('it does not end as a segment does');
  if (!isReadVersion(version, FORMAT_VERSION)) throw new DamagedBytes(`its format has no version, but ${version}`);
  return length;
}

/** Blocks are contiguous: times of all chunks, places, reports, dictionary, boxes of tracks. Throws DamagedBytes. */
export function readFooter(bytes: Uint8Array, fileBytes: number): Footer {
  const footer = bytes.subarray(0, -TRAILER_BYTES);
  const trailer = new ByteReader(bytes.subarray(-TRAILER_BYTES));
  if (trailer.uint32() !== footer.length) throw new DamagedBytes('its footer has another length');
  requireCrc(footer, trailer.uint32());

  const reader = new ByteReader(footer);
  const layer = LAYER_CODES[reader.uint32()];
  const start = upstreamInstant(reader.float64());
  if (layer === undefined || periodStart(start) !== start) throw new DamagedBytes('it is of no layer and period');
  const isWhole = reader.uint32() === 1;
  const ofDictionary = [reader.uint32(), reader.uint32()] as const;
  const ofTrackBoxes = [reader.uint32(), reader.uint32()] as const;
  const entries = Array.from({ length: countOf(reader.uint32(), footer.length) }, () => readChunkEntry(reader));
  reader.end();

  let offset = 0;
  const block = (length: number, crc: number): Block => {
    offset += length;
    return { offset: offset - length, length, crc };
  };
  const parts = PART_NAMES.map((name) => entries.map((entry) => block(...entry.lengthAndCrc[name])));
  const dictionary = block(...ofDictionary);
  const trackBoxes = block(...ofTrackBoxes);
  if (offset + bytes.length !== fileBytes) throw new DamagedBytes('its blocks do not fill it');
  const chunks = entries.map(({ lengthAndCrc: _, ...entry }, chunk) => ({
    ...entry,
    parts: { times: parts[0]![chunk]!, places: parts[1]![chunk]!, reports: parts[2]![chunk]! },
  }));
  return { layer, start, isWhole, dictionary, trackBoxes, chunks };
}

function countOf(chunkCount: number, footerBytes: number): number {
  if (HEAD_BYTES + chunkCount * CHUNK_BYTES !== footerBytes) throw new DamagedBytes('its footer has another length');
  return chunkCount;
}

function readChunkEntry(reader: ByteReader) {
  const [count, firstMs, lastMs] = [reader.uint32(), reader.uint32(), reader.uint32()];
  if (count === 0 || firstMs > lastMs || lastMs >= PERIOD_MS) throw new DamagedBytes('a chunk of no time');
  const box = { west: reader.int32(), south: reader.int32(), east: reader.int32(), north: reader.int32() };
  const lengthAndCrc: Partial<Record<PartName, [number, number]>> = {};
  for (const name of PART_NAMES) lengthAndCrc[name] = [reader.uint32(), reader.uint32()];
  return { count, firstMs, lastMs, box, lengthAndCrc: lengthAndCrc as Record<PartName, [number, number]> };
}
