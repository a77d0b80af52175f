import * as z from 'zod/mini';
import { ByteReader } from '#lib/columns/byte-reader.ts';
import { type Known, openColumn, startsOf, UNREPORTED, writeColumn } from '#lib/columns/column.ts';
import { DamagedBytes } from '#lib/columns/damaged-bytes.ts';
import { readPlanes, writePlanes } from '#lib/columns/planes.ts';
import { unversioned, versioned } from './format-version.ts';
import { ROWS_MAX } from './frame.ts';
import { splitHead, writeHead } from './json-head.ts';
import { readReferences, referenceTexts, writeReferences } from './references.ts';

/**
 * Each track's places in order of time: degrees in steps of 1e-6, heights of 0.01 m. The height is an aircraft's
 * altitude, or a drone's height above ground, as marks are coloured.
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

const MAX_LON = 180e6;
const MAX_LAT = 90e6;
/** 10,000 km. */
const MAX_HEIGHT = 1e9;

/** docs/wire.md draws the layout. Each track has at least one place. */
export function encodeTrails({ refs, starts, atMs, lon, lat, height }: TrailColumns): Uint8Array {
  const baseMs = atMs.length === 0 ? 0 : atMs.reduce((min, ms) => Math.min(min, ms));
  const times = Int32Array.from(atMs, (ms) => ms - baseMs);
  const runs = Uint32Array.from(refs, (_, index) => (starts[index + 1] as number) - (starts[index] as number));
  const texts = referenceTexts(refs);
  return versioned(
    writeHead({ baseMs, tracks: refs.length, ...texts }),
    ...writeReferences(refs, texts),
    writePlanes(runs),
    ...writeColumn(times, runs),
    ...writeColumn(lon, runs, { times }),
    ...writeColumn(lat, runs, { times }),
    ...writeColumn(height, runs),
  );
}

/** @throws Error if the bytes are damaged, or of another version */
export function decodeTrails(bytes: Uint8Array): TrailColumns {
  const body = unversioned(bytes);
  const { head, end } = splitHead(body);
  const { baseMs, tracks, ...texts } = headSchema.parse(head);
  const reader = new ByteReader(body.subarray(end));
  const refs = readReferences(reader, tracks, texts);
  const runs = readPlanes(reader, tracks);
  const count = runs.reduce((sum, length) => sum + length, 0);
  if (count > ROWS_MAX || runs.includes(0)) throw new DamagedBytes(`trails of ${count} places`);
  const starts = startsOf(runs);
  const column = (known?: Known) => {
    const { values, decode } = openColumn(reader, runs, starts, known);
    for (let run = 0; run < tracks; run++) decode(run);
    return values;
  };
  const times = column();
  const [lon, lat, height] = [column({ times }), column({ times }), column()];
  reader.end();
  if (lon.some((steps) => Math.abs(steps) > MAX_LON) || lat.some((steps) => Math.abs(steps) > MAX_LAT)) {
    throw new DamagedBytes('a place that is not on Earth');
  }
  const atMs = Float64Array.from(times, (ms) => baseMs + ms);
  return { refs, starts: Uint32Array.of(...starts, count), atMs, lon, lat, height };
}

/** @param metres NaN if not reported */
export function heightSteps(metres: number): number {
  if (Number.isNaN(metres)) return UNREPORTED;
  return Math.max(-MAX_HEIGHT, Math.min(MAX_HEIGHT, Math.round(metres * 100)));
}

export function metresOfSteps(height: number): number {
  return height === UNREPORTED ? Number.NaN : height / 100;
}
