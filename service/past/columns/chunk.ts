import { COLUMN_NAMES, type ColumnName, type Rows } from '../rows.ts';
import { ByteReader } from './byte-reader.ts';
import { readColumn, writeColumn } from './column.ts';
import { DamagedBytes } from './damaged-bytes.ts';
import { readPlanes, writePlanes } from './planes.ts';
import type { TrackOrder } from './track-order.ts';

/**
 * A chunk is stored in three parts, because questions differ in what they need: which rows lie in a window needs their
 * times; in a box, their places too; and only rows that are answered need what they reported.
 */
export const PART_NAMES = ['times', 'places', 'reports'] as const;
export type PartName = (typeof PART_NAMES)[number];
export type ChunkParts = Readonly<Record<PartName, Uint8Array>>;

const REPORT_NAMES = COLUMN_NAMES.filter((name) => !['offsetMs', 'lon', 'lat'].includes(name)) as Exclude<
  ColumnName,
  'offsetMs' | 'lon' | 'lat'
>[];
type ReportName = (typeof REPORT_NAMES)[number];

export interface Times {
  /** The number of the first run's track; each further run is of the next track. */
  readonly firstTrack: number;
  readonly runLengths: Uint32Array;
  /** For each row, ms since the start of the period. */
  readonly offsetMs: Int32Array;
}

export interface Places {
  readonly lon: Int32Array;
  readonly lat: Int32Array;
}

export type Reports = Readonly<Record<ReportName, Int32Array>>;

/** More rows than one frame of the log can have. A damaged count must not take all memory. */
const ROWS_MAX = 4_000_000;

/** Encodes the rows from place `from` to place `to` of the order. */
export function writeChunk(rows: Rows, order: TrackOrder, from: number, to: number): ChunkParts {
  const { firstTrack, runLengths } = order.runsBetween(from, to);
  const gathered = new Int32Array(to - from);
  const column = (name: ColumnName) => {
    const values = rows.columns[name];
    for (let place = from; place < to; place += 1) gathered[place - from] = values[order.rows[place]!]!;
    return gathered;
  };
  const offsetMs = column('offsetMs').slice();
  const start = new Uint8Array(8);
  const view = new DataView(start.buffer);
  view.setUint32(0, firstTrack, true);
  view.setUint32(4, runLengths.length, true);
  return {
    times: Buffer.concat([start, writePlanes(runLengths), ...writeColumn(offsetMs, runLengths)]),
    places: Buffer.concat([
      ...writeColumn(column('lon'), runLengths, offsetMs),
      ...writeColumn(column('lat'), runLengths, offsetMs),
    ]),
    reports: Buffer.concat(REPORT_NAMES.flatMap((name) => writeColumn(column(name), runLengths))),
  };
}

/** Throws DamagedBytes. */
export function readTimes(bytes: Uint8Array, count: number): Times {
  if (count > ROWS_MAX) throw new DamagedBytes(`a chunk of ${count} rows`);
  const reader = new ByteReader(bytes);
  const firstTrack = reader.uint32();
  const runCount = reader.uint32();
  if (runCount > count) throw new DamagedBytes(`${runCount} runs of ${count} rows`);
  const runLengths = readPlanes(reader, runCount);
  let rows = 0;
  for (const length of runLengths) {
    if (length === 0) throw new DamagedBytes('an empty run');
    rows += length;
  }
  if (rows !== count) throw new DamagedBytes(`${rows} rows in runs, ${count} in all`);
  const offsetMs = readColumn(reader, count, runLengths);
  reader.end();
  return { firstTrack, runLengths, offsetMs };
}

/** Throws DamagedBytes. */
export function readPlaces(bytes: Uint8Array, { runLengths, offsetMs }: Times): Places {
  const reader = new ByteReader(bytes);
  const lon = readColumn(reader, offsetMs.length, runLengths, offsetMs);
  const lat = readColumn(reader, offsetMs.length, runLengths, offsetMs);
  reader.end();
  return { lon, lat };
}

/** Throws DamagedBytes. */
export function readReports(bytes: Uint8Array, { runLengths, offsetMs }: Times): Reports {
  const reader = new ByteReader(bytes);
  const reports: Partial<Record<ReportName, Int32Array>> = {};
  for (const name of REPORT_NAMES) reports[name] = readColumn(reader, offsetMs.length, runLengths);
  reader.end();
  return reports as Record<ReportName, Int32Array>;
}
