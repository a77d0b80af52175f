import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DamagedBytes } from '#lib/columns/bytes.ts';
import { writeColumn } from '#lib/columns/column.ts';
import { UNREPORTED } from '#lib/columns/unreported.ts';
import { REPORTED_NAMES } from '../../sources/observation.ts';
import { Rows, STORED_NAMES, type StoredName, type StoredRow } from '../rows.ts';
import { type ChunkParts, openPlaces, openReports, openTimes, PART_NAMES, writeChunk } from './chunk.ts';
import { readTrackBoxes, TrackOrder, writeTrackBoxes } from './track-order.ts';

const value = fc.oneof(
  fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }),
  fc.integer({ min: -300, max: 300 }),
  fc.constant(UNREPORTED),
);
const place = fc.oneof(fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }), fc.integer({ min: 8e6, max: 8e6 + 500 }));
const row = fc
  .record({
    ...(Object.fromEntries(STORED_NAMES.map((name) => [name, value])) as Record<keyof StoredRow, typeof value>),
    offsetMs: fc.nat(299_999),
    lon: place,
    lat: place,
  })
  .map((stored): StoredRow => stored);
const rows = fc.array(fc.tuple(fc.nat(5), row), { minLength: 1, maxLength: 50 }).map((list) => {
  const all = new Rows();
  for (const [track, stored] of list) all.add(all.trackNumber(`track ${track}`), stored);
  return all;
});

test('every value comes back, track by track and by time, and any two chunks hold what one does', () => {
  fc.assert(
    fc.property(rows, fc.double({ min: 0, max: 1, noNaN: true }), (all, part) => {
      const order = new TrackOrder(all, 1e6);
      const cut = Math.min(all.length, Math.max(1, Math.floor(part * all.length)));
      const spans =
        cut === all.length
          ? [[0, cut] as const]
          : ([
              [0, cut],
              [cut, all.length],
            ] as const);
      for (const [from, to] of spans) {
        const parts = writeChunk(all, order, from, to);
        const { times, ...columns } = readAll(parts, to - from);
        for (const name of STORED_NAMES) {
          expect([...columns[name]]).toEqual(
            [...order.rows.slice(from, to)].map((number) => all.columns[name][number]),
          );
        }
        const tracks = [...times.runs.lengths].flatMap((length, run) => Array(length).fill(times.firstTrack + run));
        const expected = [...order.rows.slice(from, to)].map((number) => order.tracks.indexOf(all.track[number]!));
        expect(tracks).toEqual(expected);
      }
      const byTime = [...order.rows].map((number) => [
        order.tracks.indexOf(all.track[number]!),
        all.columns.offsetMs[number]!,
        number,
      ]);
      expect(byTime).toEqual(byTime.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!));
    }),
  );
});

test('the box of each track is that of its places', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const order = new TrackOrder(all, 1e6);
      const boxes = readTrackBoxes(writeTrackBoxes(all, order), order.tracks.length);
      const expected = [...order.tracks].map((track) => {
        const ofTrack = [...all.track.subarray(0, all.length).keys()].filter((row) => all.track[row] === track);
        const [lons, lats] = [ofTrack.map((row) => all.columns.lon[row]!), ofTrack.map((row) => all.columns.lat[row]!)];
        return { west: Math.min(...lons), south: Math.min(...lats), east: Math.max(...lons), north: Math.max(...lats) };
      });
      expect(boxes).toEqual(expected);
    }),
  );
});

test('bytes that are cut, changed or made up are read as something or refused: nothing else is thrown', () => {
  const damage = fc.record({ part: fc.constantFrom(...PART_NAMES), at: fc.nat(), to: fc.nat(255), cuts: fc.boolean() });
  fc.assert(
    fc.property(rows, damage, (all, { part, at, to, cuts }) => {
      const parts = { ...writeChunk(all, new TrackOrder(all, 1e6), 0, all.length) };
      const spoilt = parts[part].slice(0, cuts ? at % parts[part].length : parts[part].length);
      if (spoilt.length > 0) spoilt[at % spoilt.length] = to;
      parts[part] = spoilt;
      expectReadOrDamaged(() => readAll(parts, all.length));
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(40), (bytes, count) => {
      expectReadOrDamaged(() => readAll({ times: bytes, places: bytes, reports: bytes }, count));
    }),
  );
});

test('fields that are newer than a chunk are unreported in it, and all others unchanged', () => {
  fc.assert(
    fc.property(rows, fc.nat(REPORTED_NAMES.length), (all, knownCount) => {
      const order = new TrackOrder(all, 1e6);
      const parts = writeChunk(all, order, 0, all.length);
      const { runs } = openTimes(parts.times, all.length);
      const inOrder = (name: StoredName) => Int32Array.from(order.rows, (row) => all.columns[name][row]!);
      const known = [...REPORTED_NAMES.slice(0, knownCount), 'flags' as const];
      const reports = Buffer.concat(known.flatMap((name) => writeColumn(inOrder(name), runs)));
      const read = readAll({ ...parts, reports }, all.length);
      for (const name of known) expect([...read[name]]).toEqual([...inOrder(name)]);
      for (const name of REPORTED_NAMES.slice(knownCount)) expect(new Set(read[name])).toEqual(new Set([UNREPORTED]));
      expect(() =>
        openReports(Buffer.concat([parts.reports, Buffer.alloc(1)]), openTimes(parts.times, all.length)),
      ).toThrow(DamagedBytes);
    }),
  );
});

function readAll(parts: ChunkParts, count: number) {
  const times = openTimes(parts.times, count);
  const places = openPlaces(parts.places, times);
  const reports = openReports(parts.reports, times);
  for (let run = times.runs.lengths.length - 1; run >= 0; run -= 1) {
    reports.decode(run);
    places.decode(run);
  }
  return { times, offsetMs: times.offsetMs, lon: places.lon, lat: places.lat, ...reports };
}

function expectReadOrDamaged(read: () => void): void {
  try {
    read();
  } catch (failure) {
    expect(failure).toBeInstanceOf(DamagedBytes);
  }
}
