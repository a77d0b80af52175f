import { crc32 } from 'node:zlib';
import { ByteReader, DamagedBytes } from '#lib/columns/bytes.ts';
import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { isReadVersion } from '#lib/version/file-version.ts';
import type { BoxInSteps } from '../box-in-steps.ts';
import { requireCrc, zip } from '../columns/checked-zstd.ts';
import { type ChunkPart, type ChunkParts, PART_NAMES, writeChunk, writeDictionary } from '../columns/chunk.ts';
import { TrackOrder, writeTrackBoxes } from '../columns/track-order.ts';
import { type LayerPeriod, PERIOD_MS, periodStart } from '../period.ts';
import type { Rows } from '../rows.ts';
import { STEPS_PER_DEG } from '../stored-observation.ts';

/**
 * A segment as bytes: five minutes of a layer that never change again. Blocks are contiguous: times of all chunks, places,
 * reports, dictionary, boxes of tracks. A footer says where each begins, and a trailer ends the file. All numbers are
 * little-endian, and every block has its checksum.
 */

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
  readonly parts: Readonly<Record<ChunkPart, Block>>;
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

/** Fewer compress worse, and more make questions read too much: 8192 save 1%, 2048 cost 2%. */
const CHUNK_ROWS = 4096;

/** Frees the event loop after each chunk, which takes a few milliseconds. */
export async function segmentBytes(period: LayerPeriod, rows: Rows, isWhole: boolean): Promise<Uint8Array[]> {
  const order = new TrackOrder(rows, STEPS_PER_DEG[period.layer]);
  const zippedChunks: ChunkParts[] = [];
  const spans: Omit<Chunk, 'parts'>[] = [];
  for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
    const to = Math.min(rows.length, from + CHUNK_ROWS);
    const { times, places, reports } = writeChunk(rows, order, from, to);
    spans.push(spanOf(rows, order, from, to));
    const [zippedTimes, zippedPlaces, zippedReports] = await Promise.all([zip(times), zip(places), zip(reports)]);
    zippedChunks.push({ times: zippedTimes, places: zippedPlaces, reports: zippedReports });
  }

  const bytes: Uint8Array[] = [];
  let offset = 0;
  const block = (content: Uint8Array): Block => {
    bytes.push(content);
    offset += content.length;
    return { offset: offset - content.length, length: content.length, crc: crc32(content) };
  };
  const blocks: Partial<Record<ChunkPart, Block[]>> = {};
  for (const name of PART_NAMES) blocks[name] = zippedChunks.map((parts) => block(parts[name]));
  const { times, places, reports } = blocks as Record<ChunkPart, Block[]>;
  const keys = Array.from(order.tracks, (track) => rows.trackKeys[track]!);
  const dictionary = block(writeDictionary(keys, rows.labels));
  const trackBoxes = block(await zip(writeTrackBoxes(rows, order)));
  const chunks = spans.map((span, chunk) => ({
    ...span,
    parts: { times: times[chunk]!, places: places[chunk]!, reports: reports[chunk]! },
  }));
  bytes.push(writeFooter({ ...period, isWhole, dictionary, trackBoxes, chunks }));
  return bytes;
}

function spanOf(rows: Rows, order: TrackOrder, from: number, to: number): Omit<Chunk, 'parts'> {
  const { offsetMs, lon, lat } = rows.columns;
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [west, south, east, north] = [firstMs, firstMs, lastMs, lastMs];
  for (let place = from; place < to; place += 1) {
    const row = order.rows[place]!;
    firstMs = Math.min(firstMs, offsetMs[row]!);
    lastMs = Math.max(lastMs, offsetMs[row]!);
    west = Math.min(west, lon[row]!);
    east = Math.max(east, lon[row]!);
    south = Math.min(south, lat[row]!);
    north = Math.max(north, lat[row]!);
  }
  return { count: to - from, firstMs, lastMs, box: { west, south, east, north } };
}

/** Writes the footer with its trailer. */
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

/** The length without the trailer. Throws DamagedBytes, or OtherVersion. */
export function footerLength(trailer: Uint8Array): number {
  const reader = new ByteReader(trailer);
  const length = reader.uint32();
  reader.uint32();
  const version = reader.uint32();
  if (reader.uint32() !== MAGIC) throw new DamagedBytes('it does not end as a segment does');
  if (!isReadVersion(version, FORMAT_VERSION)) throw new DamagedBytes(`its format has no version, but ${version}`);
  return length;
}

/** @param bytes of footer and trailer. Throws DamagedBytes */
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
  const chunkCount = reader.uint32();
  if (HEAD_BYTES + chunkCount * CHUNK_BYTES !== footer.length) throw new DamagedBytes('its footer has another length');
  const entries = Array.from({ length: chunkCount }, () => readChunkEntry(reader));
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

function readChunkEntry(reader: ByteReader) {
  const [count, firstMs, lastMs] = [reader.uint32(), reader.uint32(), reader.uint32()];
  if (count === 0 || firstMs > lastMs || lastMs >= PERIOD_MS) throw new DamagedBytes('a chunk of no time');
  const box = { west: reader.int32(), south: reader.int32(), east: reader.int32(), north: reader.int32() };
  const lengthAndCrc: Partial<Record<ChunkPart, [number, number]>> = {};
  for (const name of PART_NAMES) lengthAndCrc[name] = [reader.uint32(), reader.uint32()];
  return { count, firstMs, lastMs, box, lengthAndCrc: lengthAndCrc as Record<ChunkPart, [number, number]> };
}
