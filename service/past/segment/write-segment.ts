import { crc32 } from 'node:zlib';
import type { BoxInSteps } from '../box-in-steps.ts';
import { zip } from '../columns/checked-zstd.ts';
import { type ChunkParts, PART_NAMES, type PartName, writeChunk } from '../columns/chunk.ts';
import { writeDictionary } from '../columns/dictionary.ts';
import { writeTrackBoxes } from '../columns/track-boxes.ts';
import { TrackOrder } from '../columns/track-order.ts';
import type { LayerPeriod } from '../period.ts';
import type { Rows } from '../rows.ts';
import { STEPS_PER_DEG } from '../stored-observation.ts';
import { type Block, type Chunk, type Footer, writeFooter } from './footer.ts';

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
  const blocks: Partial<Record<PartName, Block[]>> = {};
  for (const name of PART_NAMES) blocks[name] = zippedChunks.map((parts) => block(parts[name]));
  const { times, places, reports } = blocks as Record<PartName, Block[]>;
  const keys = Array.from(order.tracks, (track) => rows.trackKeys[track]!);
  const dictionary = block(writeDictionary(keys, rows.labels));
  const trackBoxes = block(await zip(writeTrackBoxes(rows, order)));
  const chunks = spans.map((span, chunk) => ({
    ...span,
    parts: { times: times[chunk]!, places: places[chunk]!, reports: reports[chunk]! },
  }));
  const footer: Footer = { ...period, isWhole, dictionary, trackBoxes, chunks };
  bytes.push(writeFooter(footer));
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
  const box: BoxInSteps = { west, south, east, north };
  return { count: to - from, firstMs, lastMs, box };
}
