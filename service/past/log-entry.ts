import { crc32 } from 'node:zlib';
import { ByteReader, DamagedBytes } from '#lib/columns/bytes.ts';
import { UNREPORTED } from '#lib/columns/unreported.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { isReadVersion } from '#lib/version/file-version.ts';
import { REPORTED_LABELS } from '../sources/observation.ts';
import { unzipChecked, zip } from './columns/checked-zstd.ts';
import { openPlaces, openReports, openTimes, readDictionary, writeChunk, writeDictionary } from './columns/chunk.ts';
import { TrackOrder } from './columns/track-order.ts';
import { type LayerPeriod, periodStart } from './period.ts';
import { Rows, rowOf } from './rows.ts';
import { LAYER_CODES } from './segment/segment-bytes.ts';
import { STEPS_PER_DEG } from './stored-observation.ts';

export interface LogEntry {
  readonly period: LayerPeriod;
  readonly rows: Rows;
}

export interface ReadLog {
  readonly entries: readonly LogEntry[];
  /** The bytes up to the last whole entry. The rest is an interrupted write. */
  readonly goodBytes: number;
  /** Unreadable bytes before the last whole entry, or nothing that is of a log: an interrupted write is always last. */
  readonly isDamaged: boolean;
}

/** "LKPL" and the version. Logs of version 1 begin with an entry, which never claims so many bytes. */
const MAGIC = 0x4c504b4c;
const LOG_VERSION = 2;
const HEAD_BYTES = 8;
/** No entry that is written is longer. */
const ENTRY_MAX_BYTES = 64 * 1024 * 1024;
const ZSTD_MAGIC = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);

/** The bytes before the first entry. */
export function logHead(): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(LOG_VERSION, 4);
  return head;
}

/** Length, CRC-32, and zstd of: period, layer, count of rows, lengths, dictionary, and a chunk of all rows. */
export async function writeEntry({ period, rows }: LogEntry): Promise<Uint8Array> {
  const order = new TrackOrder(rows, STEPS_PER_DEG[period.layer]);
  const { times, places, reports } = writeChunk(rows, order, 0, rows.length);
  const keys = Array.from(order.tracks, (track) => rows.trackKeys[track]!);
  const dictionary = writeDictionary(keys, rows.labels);
  const start = Buffer.alloc(8);
  start.writeDoubleLE(epochMs(period.start));
  const lengths = [LAYER_CODES.indexOf(period.layer), rows.length, dictionary.length, times.length, places.length];
  const numbers = Buffer.alloc(4 * lengths.length);
  for (const [index, value] of lengths.entries()) numbers.writeUInt32LE(value, 4 * index);
  const zipped = await zip(Buffer.concat([start, numbers, dictionary, times, places, reports]));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(zipped.length, 0);
  head.writeUInt32LE(crc32(zipped), 4);
  return Buffer.concat([head, zipped]);
}

/** @throws OtherVersion */
export function readLog(bytes: Uint8Array): ReadLog {
  const entries: LogEntry[] = [];
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const hasHead = buffer.length >= HEAD_BYTES && buffer.readUInt32LE(0) === MAGIC;
  let isDamaged = hasHead && !isReadVersion(buffer.readUInt32LE(4), LOG_VERSION);
  let goodBytes = hasHead ? HEAD_BYTES : 0;
  for (let at = goodBytes; at < bytes.length; ) {
    const found = readEntryAt(bytes, at);
    if (found) {
      if (at > goodBytes) isDamaged = true;
      entries.push(found.entry);
      goodBytes = found.end;
    }
    at = found?.end ?? nextFrame(buffer, at + 1);
  }
  return { entries, goodBytes, isDamaged: isDamaged || (goodBytes === 0 && !isInterrupted(buffer)) };
}

/** Whether the bytes may be the beginning of a first write. */
function isInterrupted(bytes: Buffer): boolean {
  if (bytes.length < HEAD_BYTES) return true;
  const claimed = bytes.readUInt32LE(0);
  return claimed <= ENTRY_MAX_BYTES && HEAD_BYTES + claimed > bytes.length;
}

function nextFrame(bytes: Buffer, from: number): number {
  const magic = bytes.indexOf(ZSTD_MAGIC, from + HEAD_BYTES);
  return magic === -1 ? bytes.length : magic - HEAD_BYTES;
}

function readEntryAt(bytes: Uint8Array, at: number): { entry: LogEntry; end: number } | undefined {
  if (at + HEAD_BYTES > bytes.length) return undefined;
  const head = new ByteReader(bytes.subarray(at, at + HEAD_BYTES));
  const [length, crc] = [head.uint32(), head.uint32()];
  const end = at + HEAD_BYTES + length;
  if (length === 0 || end > bytes.length) return undefined;
  try {
    return { entry: readEntry(unzipChecked(bytes.subarray(at + HEAD_BYTES, end), crc)), end };
  } catch (failure) {
    if (failure instanceof DamagedBytes) return undefined;
    throw failure;
  }
}

function readEntry(body: Uint8Array): LogEntry {
  const reader = new ByteReader(body);
  const start = upstreamInstant(reader.float64());
  const layer = LAYER_CODES[reader.uint32()];
  if (layer === undefined || periodStart(start) !== start) throw new DamagedBytes('an entry of no layer and period');
  const count = reader.uint32();
  const [dictionaryLength, timesLength, placesLength] = [reader.uint32(), reader.uint32(), reader.uint32()];
  const dictionary = readDictionary(reader.take(dictionaryLength));
  const times = openTimes(reader.take(timesLength), count);
  const places = openPlaces(reader.take(placesLength), times);
  const reports = openReports(reader.rest(), times);
  if (times.firstTrack + times.runs.lengths.length > dictionary.trackCount) throw new DamagedBytes('an unknown track');

  const rows = new Rows();
  const columns = { offsetMs: times.offsetMs, lon: places.lon, lat: places.lat, ...reports };
  const label = (number: number) => (number === UNREPORTED ? UNREPORTED : rows.labelNumber(dictionary.labels[number]!));
  let row = 0;
  for (const [run, length] of times.runs.lengths.entries()) {
    places.decode(run);
    reports.decode(run);
    const track = rows.trackNumber(dictionary.trackKey(times.firstTrack + run));
    for (let end = row + length; row < end; row += 1) {
      const stored = rowOf(columns, row);
      for (const name of REPORTED_LABELS) stored[name] = label(stored[name]);
      rows.add(track, stored);
    }
  }
  return { period: { layer, start }, rows };
}
