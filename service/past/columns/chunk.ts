import { ByteReader, DamagedBytes, uint32Bytes } from '#lib/columns/bytes.ts';
import {
  type OpenColumn,
  openColumn,
  type Runs,
  readRuns,
  runsOf,
  unreportedValues,
  writeColumn,
  writePlanes,
} from '#lib/columns/column.ts';
import { REPORTED_NAMES } from '../../sources/observation.ts';
import type { Rows, StoredName } from '../rows.ts';
import type { TrackOrder } from './track-order.ts';

/**
 * A chunk: consecutive rows of a `TrackOrder` in three parts, and the dictionary of what their numbers mean. Segments and
 * logs store both. Parts are opened at once, and decoded by run. Functions that read throw DamagedBytes.
 */

/** A window needs the times, a box the places, and only rows of the answer the reports. */
export const PART_NAMES = ['times', 'places', 'reports'] as const;
export type ChunkPart = (typeof PART_NAMES)[number];
export type ChunkParts = Readonly<Record<ChunkPart, Uint8Array>>;

/** Old chunks lack columns of later fields. The flags come last. */
const REPORT_NAMES = [...REPORTED_NAMES, 'flags'] as const;
type ReportName = (typeof REPORT_NAMES)[number];

/** Columns are undefined for a run until it is decoded. */
interface DecodedByRun {
  decode(run: number): void;
}

export interface Times extends DecodedByRun {
  /** The dictionary's number of the first run's track. Each further run is of the next track. */
  readonly firstTrack: number;
  readonly runs: Runs;
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
  const runs = runsOf(runLengths);
  const gathered = new Int32Array(to - from);
  const column = (name: StoredName) => {
    const values = rows.columns[name];
    for (let place = from; place < to; place += 1) gathered[place - from] = values[order.rows[place]!]!;
    return gathered;
  };
  const times = column('offsetMs').slice();
  const counts = uint32Bytes(firstTrack, runLengths.length);
  return {
    times: Buffer.concat([counts, writePlanes(runLengths), ...writeColumn(times, runs)]),
    places: Buffer.concat([
      ...writeColumn(column('lon'), runs, { times }),
      ...writeColumn(column('lat'), runs, { times }),
    ]),
    reports: Buffer.concat(REPORT_NAMES.flatMap((name) => writeColumn(column(name), runs))),
  };
}

export function openTimes(bytes: Uint8Array, count: number): Times {
  if (count > ROWS_MAX) throw new DamagedBytes(`a chunk of ${count} rows`);
  const reader = new ByteReader(bytes);
  const firstTrack = reader.uint32();
  const runCount = reader.uint32();
  if (runCount > count) throw new DamagedBytes(`${runCount} runs of ${count} rows`);
  const runs = readRuns(reader, runCount, count);
  if (runs.rows !== count) throw new DamagedBytes(`${runs.rows} rows in runs, ${count} in all`);
  const column = openColumn(reader, runs);
  reader.end();
  return { firstTrack, runs, offsetMs: column.values, decode: eachOnce([column], runs) };
}

export function openPlaces(bytes: Uint8Array, { runs, offsetMs, decode }: Times): Places {
  const reader = new ByteReader(bytes);
  const lon = openColumn(reader, runs, { times: offsetMs });
  const lat = openColumn(reader, runs, { times: offsetMs });
  reader.end();
  return { lon: lon.values, lat: lat.values, decode: eachOnce([{ decode }, lon, lat], runs) };
}

/** Fields that the chunk lacks are unreported. */
export function openReports(bytes: Uint8Array, { runs }: Times): Reports {
  const reader = new ByteReader(bytes);
  const columns: OpenColumn[] = [];
  while (!reader.isAtEnd) columns.push(openColumn(reader, runs));
  const flags = columns.at(-1);
  if (flags === undefined) throw new DamagedBytes('a chunk without flags');
  if (columns.length > REPORT_NAMES.length) throw new DamagedBytes(`${columns.length} columns of reports`);
  const fields = REPORTED_NAMES.map((name, index) => {
    const isStored = index < columns.length - 1;
    return [name, isStored ? columns[index]!.values : unreportedValues(runs.rows)] as const;
  });
  const reports = { ...Object.fromEntries(fields), flags: flags.values } as Record<ReportName, Int32Array>;
  return { ...reports, decode: eachOnce(columns, runs) };
}

function eachOnce(columns: readonly DecodedByRun[], { lengths }: Runs): (run: number) => void {
  const isDecoded = new Uint8Array(lengths.length);
  return (run) => {
    if (isDecoded[run]) return;
    isDecoded[run] = 1;
    for (const column of columns) column.decode(run);
  };
}

const KEY_BYTES = 16;

export interface Dictionary {
  readonly trackCount: number;
  readonly labels: readonly string[];
  /** The key of a track, in 32 hex digits. */
  trackKey(number: number): string;
}

/** Layout: the number of tracks, 16 bytes for each key, and the labels as JSON. */
export function writeDictionary(trackKeys: readonly string[], labels: readonly string[]): Uint8Array {
  const keys = Buffer.from(trackKeys.join(''), 'hex');
  return Buffer.concat([uint32Bytes(trackKeys.length), keys, Buffer.from(JSON.stringify(labels))]);
}

export function readDictionary(bytes: Uint8Array): Dictionary {
  const reader = new ByteReader(bytes);
  const trackCount = reader.uint32();
  const keys = Buffer.from(reader.take(trackCount * KEY_BYTES));
  const labels = labelsIn(reader.rest());
  return {
    trackCount,
    labels,
    trackKey: (number) => keys.toString('hex', number * KEY_BYTES, (number + 1) * KEY_BYTES),
  };
}

function labelsIn(bytes: Uint8Array): string[] {
  let labels: unknown;
  try {
    labels = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new DamagedBytes('labels that cannot be read');
  }
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === 'string')) {
    throw new DamagedBytes('labels that are none');
  }
  return labels;
}
