import { PbfWriter } from 'pbf';
import { tagged, untagged } from '../format-version.ts';
import { PlainReader, writeText } from '../frame/plain-reader.ts';
import { type ReferenceParts, referenceParts, referenceText } from '../reference-parts.ts';
import { NO_HEIGHT, PlaceDifferences } from './place-differences.ts';

/**
 * Received places of tracks, each track's in order of time, in the steps of `PlaceDifferences`. Of an aircraft the height is its altitude, of a
 * drone its height above ground, as marks are coloured.
 */
export interface TrailColumns {
  /** Distinct. */
  readonly refs: readonly string[];
  /** Index of each track's first place, and at the end the number of all. */
  readonly starts: Uint32Array;
  /** Epoch milliseconds. */
  readonly atMs: Float64Array;
  readonly lon: Int32Array;
  readonly lat: Int32Array;
  readonly height: Int32Array;
}

/** A track takes at least a byte for each of these: prefix, two halves of the digits, count. */
const TRACK_MIN_BYTES = 4;
/** One for each column. */
const PLACE_MIN_BYTES = 4;
const MAX_LON = 180e6;
const MAX_LAT = 90e6;

/**
 * Encodes trails, not compressed:
 *
 *     base of the times, prefixes of references, tracks (prefix, digits, number of places), then a column of differences each for
 *     times, longitudes, latitudes and heights
 */
export function encodeTrails({ refs, starts, atMs, lon, lat, height }: TrailColumns): Uint8Array {
  const count = atMs.length;
  const differences = Array.from({ length: 4 }, () => new Int32Array(count));
  const [byMs, byLon, byLat, byHeight] = differences as [Int32Array, Int32Array, Int32Array, Int32Array];
  const baseMs = atMs.reduce((min, ms) => Math.min(min, ms), count === 0 ? 0 : Number.POSITIVE_INFINITY);
  const track = new PlaceDifferences();
  for (let ref = 0; ref < refs.length; ref++) {
    track.begin();
    track.atMs = baseMs;
    for (let index = starts[ref] as number; index < (starts[ref + 1] as number); index++) {
      track.goTo(atMs[index] as number, lon[index] as number, lat[index] as number, height[index] as number);
      byMs[index] = track.byMs;
      byLon[index] = track.byLon;
      byLat[index] = track.byLat;
      byHeight[index] = track.byHeight;
    }
  }
  // Seldom more, so that it hardly ever grows.
  const writer = new PbfWriter(new Uint8Array(64 + 32 * refs.length + 10 * count));
  writer.writeSVarint(baseMs);
  writeTracks(writer, refs, starts);
  for (const column of differences)
    for (let index = 0; index < count; index++) writer.writeSVarint(column[index] as number);
  return tagged('trails', writer.finish());
}

/** @throws Error if the bytes are damaged, or of another version */
export function decodeTrails(bytes: Uint8Array): TrailColumns {
  const reader = new PlainReader(untagged('trails', bytes));
  const baseMs = reader.wideSignedVarint();
  const { refs, starts } = readTracks(reader);
  const count = starts[refs.length] as number;
  if (count * PLACE_MIN_BYTES > reader.left) throw new Error('the trails are truncated');
  const column = () => {
    const differences = new Int32Array(count);
    for (let index = 0; index < count; index++) differences[index] = reader.signedVarint();
    return differences;
  };
  const [byMs, byLon, byLat, byHeight] = [column(), column(), column(), column()];
  if (reader.left > 0) throw new Error('the trails are damaged: they are too long');
  const atMs = new Float64Array(count);
  const track = new PlaceDifferences();
  for (let ref = 0; ref < refs.length; ref++) {
    track.begin();
    track.atMs = baseMs;
    for (let index = starts[ref] as number; index < (starts[ref + 1] as number); index++) {
      track.byMs = byMs[index] as number;
      track.byLon = byLon[index] as number;
      track.byLat = byLat[index] as number;
      track.byHeight = byHeight[index] as number;
      track.follow();
      if (Math.abs(track.lon) > MAX_LON || Math.abs(track.lat) > MAX_LAT) throw new Error('the trails are damaged');
      atMs[index] = track.atMs;
      // In place of the differences.
      byLon[index] = track.lon;
      byLat[index] = track.lat;
      byHeight[index] = track.height;
    }
  }
  return { refs, starts, atMs, lon: byLon, lat: byLat, height: byHeight };
}

/** The height in metres; NaN if not reported. */
export function metresOfSteps(height: number): number {
  return height === NO_HEIGHT ? Number.NaN : height / 100;
}

function writeTracks(writer: PbfWriter, refs: readonly string[], starts: Uint32Array): void {
  const parts = refs.map(referenceParts);
  const nameOf = ({ prefix, hasDigits }: ReferenceParts) => `${hasDigits ? 1 : 0}${prefix}`;
  const names = [...new Set(parts.map(nameOf))];
  const indexOf = new Map(names.map((name, index) => [name, index]));
  writer.writeVarint(names.length);
  for (const name of names) writeText(writer, name);
  writer.writeVarint(refs.length);
  for (const [index, part] of parts.entries()) {
    writer.writeVarint(indexOf.get(nameOf(part)) as number);
    writer.writeVarint(part.high);
    writer.writeVarint(part.low);
    writer.writeVarint((starts[index + 1] as number) - (starts[index] as number));
  }
}

function readTracks(reader: PlainReader): Pick<TrailColumns, 'refs' | 'starts'> {
  const names = Array.from({ length: reader.count(1) }, () => reader.text());
  const count = reader.count(TRACK_MIN_BYTES);
  const refs: string[] = [];
  const starts = new Uint32Array(count + 1);
  for (let index = 0; index < count; index++) {
    const name = names[reader.varint()];
    if (name === undefined) throw new Error('the trails are damaged: a reference has no prefix');
    const [high, low] = [reader.varint(), reader.varint()];
    if (Math.max(high, low) > 0xffffffff) throw new Error('the trails are damaged: a reference is too long');
    const prefix = name.slice(1);
    refs.push(name.startsWith('1') ? referenceText(prefix, high, low) : prefix);
    starts[index + 1] = (starts[index] as number) + reader.count(PLACE_MIN_BYTES);
  }
  return { refs, starts };
}
