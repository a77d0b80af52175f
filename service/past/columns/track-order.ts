import { ByteReader } from '#lib/columns/bytes.ts';
import { readDifferences, readPlanes, writeDifferences, writePlanes } from '#lib/columns/column.ts';
import { lastAtMost, sortByTime } from '#lib/columns/typed-arrays.ts';
import type { BoxInSteps } from '../box-in-steps.ts';
import type { Rows } from '../rows.ts';

/** The order of stored rows: by track, time, then order of appending. In Z-order, tracks of a chunk are neighbours. */
export class TrackOrder {
  readonly rows: Uint32Array;
  /** Track numbers in this order, also that of the dictionary. */
  readonly tracks: Uint32Array;
  /** For each track the place of its first row, and at the end the count of rows. */
  readonly #begins: Uint32Array;

  constructor(rows: Rows, stepsPerDeg: number) {
    const { length, track } = rows;
    const { offsetMs } = rows.columns;
    const trackCount = rows.trackKeys.length;
    const firstRow = new Uint32Array(trackCount);
    const counts = new Uint32Array(trackCount);
    for (let row = length - 1; row >= 0; row -= 1) {
      const number = track[row]!;
      if (counts[number]! === 0 || offsetMs[row]! <= offsetMs[firstRow[number]!]!) firstRow[number] = row;
      counts[number]! += 1;
    }
    const places = Float64Array.from(firstRow, (row) =>
      zOrder(rows.columns.lon[row]! / stepsPerDeg, rows.columns.lat[row]! / stepsPerDeg),
    );
    this.tracks = Uint32Array.from(counts.keys())
      .filter((number) => counts[number]! > 0)
      .sort((a, b) => places[a]! - places[b]! || a - b);

    this.#begins = new Uint32Array(this.tracks.length + 1);
    const next = new Uint32Array(trackCount);
    for (const [index, number] of this.tracks.entries()) {
      next[number] = this.#begins[index]!;
      this.#begins[index + 1] = this.#begins[index]! + counts[number]!;
    }
    this.rows = new Uint32Array(length);
    for (let row = 0; row < length; row += 1) this.rows[next[track[row]!]!++] = row;
    for (let index = 0; index < this.tracks.length; index += 1) {
      sortByTime(this.rows.subarray(this.#begins[index]!, this.#begins[index + 1]!), offsetMs);
    }
  }

  runsBetween(from: number, to: number): { firstTrack: number; runLengths: Uint32Array } {
    const begins = this.#begins;
    const firstTrack = lastAtMost(begins, from);
    const lengths: number[] = [];
    for (let track = firstTrack; begins[track]! < to; track += 1) {
      lengths.push(Math.min(to, begins[track + 1]!) - Math.max(from, begins[track]!));
    }
    return { firstTrack, runLengths: Uint32Array.from(lengths) };
  }
}

/** Steps of the Z-order in each direction. */
const STEPS = 65_536;

function zOrder(lonDeg: number, latDeg: number): number {
  const x = Math.min(STEPS - 1, Math.floor((STEPS * (lonDeg + 180)) / 2 / 180));
  const y = Math.min(STEPS - 1, Math.floor((STEPS * (latDeg + 90)) / 180));
  return spreadBits(x) + 2 * spreadBits(y);
}

/** Puts a 0 between all bits of a 16-bit number. */
function spreadBits(number: number): number {
  let bits = number;
  bits = (bits | (bits << 8)) & 0x00ff00ff;
  bits = (bits | (bits << 4)) & 0x0f0f0f0f;
  bits = (bits | (bits << 2)) & 0x33333333;
  return (bits | (bits << 1)) & 0x55555555;
}

const MAX = 2 ** 31 - 1;
const MIN = -(2 ** 31);

/** The box of each track, in their order: west, south, width and height, the first two as differences. */
export function writeTrackBoxes(rows: Rows, { tracks }: TrackOrder): Uint8Array {
  const { length, track } = rows;
  const { lon, lat } = rows.columns;
  const count = rows.trackKeys.length;
  const [west, south] = [new Int32Array(count).fill(MAX), new Int32Array(count).fill(MAX)];
  const [east, north] = [new Int32Array(count).fill(MIN), new Int32Array(count).fill(MIN)];
  for (let row = 0; row < length; row += 1) {
    const number = track[row]!;
    const [x, y] = [lon[row]!, lat[row]!];
    if (x < west[number]!) west[number] = x;
    if (x > east[number]!) east[number] = x;
    if (y < south[number]!) south[number] = y;
    if (y > north[number]!) north[number] = y;
  }
  const inOrder = (edge: Int32Array) => Int32Array.from(tracks, (number) => edge[number]!);
  const width = tracks.map((number) => east[number]! - west[number]!);
  const height = tracks.map((number) => north[number]! - south[number]!);
  return Buffer.concat([
    writeDifferences(inOrder(west)),
    writeDifferences(inOrder(south)),
    writePlanes(width),
    writePlanes(height),
  ]);
}

/** @throws DamagedBytes */
export function readTrackBoxes(bytes: Uint8Array, trackCount: number): readonly BoxInSteps[] {
  const reader = new ByteReader(bytes);
  const [west, south] = [readDifferences(reader, trackCount), readDifferences(reader, trackCount)];
  const [width, height] = [readPlanes(reader, trackCount), readPlanes(reader, trackCount)];
  reader.end();
  return Array.from(width, (wide, index) => {
    const [x, y] = [west[index]!, south[index]!];
    return { west: x, south: y, east: (x + wide) | 0, north: (y + height[index]!) | 0 };
  });
}
