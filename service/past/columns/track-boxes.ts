import { ByteReader } from '#lib/columns/byte-reader.ts';
import { readPlanes, writePlanes } from '#lib/columns/planes.ts';
import { unzigzag, zigzag } from '#lib/columns/zigzag.ts';
import type { BoxInSteps } from '../box-in-steps.ts';
import type { Rows } from '../rows.ts';
import type { TrackOrder } from './track-order.ts';

/** Byte planes of west, south, width and height, the first two as differences from the track before. */
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
  const width = tracks.map((number) => east[number]! - west[number]!);
  const height = tracks.map((number) => north[number]! - south[number]!);
  const edges = [differences(tracks, west), differences(tracks, south), width, height];
  return Buffer.concat(edges.map(writePlanes));
}

/** Throws DamagedBytes. */
export function readTrackBoxes(bytes: Uint8Array, trackCount: number): readonly BoxInSteps[] {
  const reader = new ByteReader(bytes);
  const [west, south, width, height] = Array.from({ length: 4 }, () => readPlanes(reader, trackCount)) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  reader.end();
  let [x, y] = [0, 0];
  return Array.from(width, (wide, index) => {
    x = (x + unzigzag(west[index]!)) | 0;
    y = (y + unzigzag(south[index]!)) | 0;
    return { west: x, south: y, east: (x + wide) | 0, north: (y + height[index]!) | 0 };
  });
}

const MAX = 2 ** 31 - 1;
const MIN = -(2 ** 31);

function differences(tracks: Uint32Array, edge: Int32Array): Uint32Array {
  let last = 0;
  return tracks.map((number) => {
    const difference = zigzag((edge[number]! - last) | 0);
    last = edge[number]!;
    return difference;
  });
}
