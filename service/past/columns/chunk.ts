import { ByteReader } from '#lib/columns/byte-reader.ts';
import { type Column, openColumn, startsOf, unreportedValues, writeColumn } from '#lib/columns/column.ts';
import { DamagedBytes } from '#lib/columns/damaged-bytes.ts';
import { readPlanes, writePlanes } from '#lib/columns/planes.ts';
import { REPORTED_NAMES } from '../../sources/observation.ts';
import type { ColumnName, Rows } from '../rows.ts';
import type { TrackOrder } from './track-order.ts';

/** A window needs the times, a box the places, and only rows of the answer the reports. */
export const PART_NAMES = ['times', 'places', 'reports'] as const;
export type PartName = (typeof PART_NAMES)[number];
export type ChunkParts = Readonly<Record<PartName, Uint8Array>>;

/** Old chunks lack columns of later fields. The flags come last. */
const REPORT_NAMES = [...REPORTED_NAMES, 'flags'] as const;
type ReportName = (typeof REPORT_NAMES)[number];

/** Columns are undefined for a run until it is decoded. */
interface DecodedByRun {
  decode(run: number): void;
}

export interface Times extends DecodedByRun {
  /** Each further run is of the next track. */
  readonly firstTrack: number;
  readonly runLengths: Uint32Array;
  readonly runStarts: Uint32Array;
  /** For each row, ms since the start of the period. */
  readonly offsetMs: Int32Array;
}

export interface Places extends DecodedByRun {
  readonly lon: Int32Array;
  readonly lat: Int32Array;
}

export type Reports = Readonly<Record<ReportName, Int32Array>> & DecodedByRun;

/** A damaged count must not take all memory. */
const ROWS_MAX = 4_000_000;

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
      ...writeColumn(column('lon'), runLengths, { times: offsetMs }),
      ...writeColumn(column('lat'), runLengths, { times: offsetMs }),
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
  if (runLengths.includes(0)) throw new DamagedBytes('an empty run');
  const rows = runLengths.reduce((sum, length) => sum + length, 0);
  if (rows !== count) throw new DamagedBytes(`${rows} rows in runs, ${count} in all`);
  const runStarts = startsOf(runLengths);
  const column = openColumn(reader, runLengths, runStarts);
  reader.end();
  return { firstTrack, runLengths, runStarts, offsetMs: column.values, decode: eachOnce([column], runCount) };
}

/** Throws DamagedBytes. */
export function readPlaces(bytes: Uint8Array, { runLengths, runStarts, offsetMs, decode }: Times): Places {
  const reader = new ByteReader(bytes);
  const lon = openColumn(reader, runLengths, runStarts, { times: offsetMs });
  const lat = openColumn(reader, runLengths, runStarts, { times: offsetMs });
  reader.end();
  const times = { decode };
  return { lon: lon.values, lat: lat.values, decode: eachOnce([times, lon, lat], runLengths.length) };
}

/** Fields that the chunk lacks are unreported. Throws DamagedBytes. */
export function readReports(bytes: Uint8Array, { runLengths, runStarts, offsetMs }: Times): Reports {
  const reader = new ByteReader(bytes);
  const columns: Column[] = [];
  while (!reader.isAtEnd) columns.push(openColumn(reader, runLengths, runStarts));
  const flags = columns.at(-1);
  if (flags === undefined) throw new DamagedBytes('a chunk without flags');
  if (columns.length > REPORT_NAMES.length) throw new DamagedBytes(`${columns.length} columns of reports`);
  const fields = REPORTED_NAMES.map((name, index) => {
    const isStored = index < columns.length - 1;
    return [name, isStored ? columns[index]!.values : unreportedValues(offsetMs.length)] as const;
  });
  const reports = { ...Object.fromEntries(fields), flags: flags.values } as Record<ReportName, Int32Array>;
  return { ...reports, decode: eachOnce(columns, runLengths.length) };
}

function eachOnce(columns: readonly Pick<Column, 'decode'>[], runCount: number): (run: number) => void {
  const isDecoded = new Uint8Array(runCount);
  return (run) => {
    if (isDecoded[run]) return;
    isDecoded[run] = 1;
    for (const column of columns) column.decode(run);
  };
}
