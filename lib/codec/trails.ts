import * as z from 'zod/mini';
import { ByteReader, DamagedBytes } from '#lib/columns/bytes.ts';
import { readColumn, readRuns, runsOf, writeColumn, writePlanes } from '#lib/columns/column.ts';
import { grown } from '#lib/columns/typed-arrays.ts';
import { unversioned, versioned } from './format-version.ts';
import { ROWS_MAX } from './frame.ts';
import { splitHead, writeHead } from './json-head.ts';
import { readReferences, referenceTexts, writeReferences } from './references.ts';
import { DEGREE_STEPS } from './steps.ts';

/**
 * Each track's places in order of time, in steps (steps.ts). The height is an aircraft's altitude, or a drone's height above
 * ground, as marks are coloured; UNREPORTED if not reported.
 */
export interface TrailColumns {
  readonly refs: readonly string[];
  /** Index of each track's first place, then the number of all. */
  readonly starts: Uint32Array;
  readonly atMs: Float64Array;
  readonly lon: Int32Array;
  readonly lat: Int32Array;
  readonly height: Int32Array;
}

const headSchema = z.object({
  baseMs: z.number(),
  tracks: z.int().check(z.minimum(0), z.maximum(ROWS_MAX)),
  prefixes: z.array(z.string()),
  wholes: z.array(z.string()),
});

const MAX_LON = 180 * DEGREE_STEPS;
const MAX_LAT = 90 * DEGREE_STEPS;

/** docs/wire.md draws the layout. @param trails at least one place of each track */
export function encodeTrails({ refs, starts, atMs, lon, lat, height }: TrailColumns): Uint8Array {
  const baseMs = atMs.length === 0 ? 0 : atMs.reduce((min, ms) => Math.min(min, ms));
  const times = Int32Array.from(atMs, (ms) => ms - baseMs);
  const lengths = Uint32Array.from(refs, (_, index) => (starts[index + 1] as number) - (starts[index] as number));
  const runs = runsOf(lengths);
  const texts = referenceTexts(refs);
  return versioned(
    writeHead({ baseMs, tracks: refs.length, ...texts }),
    ...writeReferences(refs, texts),
    writePlanes(lengths),
    ...writeColumn(times, runs),
    ...writeColumn(lon, runs, { times }),
    ...writeColumn(lat, runs, { times }),
    ...writeColumn(height, runs),
  );
}

/** @throws DamagedBytes, or Error for another version */
export function decodeTrails(bytes: Uint8Array): TrailColumns {
  const body = unversioned(bytes);
  const { head, end } = splitHead(body);
  const read = headSchema.safeParse(head);
  if (!read.success) throw new DamagedBytes('a head that is not of trails');
  const { baseMs, tracks, ...texts } = read.data;
  const reader = new ByteReader(body.subarray(end));
  const refs = readReferences(reader, tracks, texts);
  const runs = readRuns(reader, tracks, ROWS_MAX);
  const times = readColumn(reader, runs);
  const [lon, lat] = [readColumn(reader, runs, { times }), readColumn(reader, runs, { times })];
  const height = readColumn(reader, runs);
  reader.end();
  if (lon.some((steps) => Math.abs(steps) > MAX_LON) || lat.some((steps) => Math.abs(steps) > MAX_LAT)) {
    throw new DamagedBytes('a place that is not on Earth');
  }
  const atMs = Float64Array.from(times, (ms) => baseMs + ms);
  const starts = grown(runs.starts, tracks + 1);
  starts[tracks] = runs.rows;
  return { refs, starts, atMs, lon, lat, height };
}
