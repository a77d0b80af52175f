import { PbfWriter } from 'pbf';
import type { Position } from '#lib/model/position.ts';
import { compareInstants } from '#lib/time/instant.ts';
import { tagged, untagged } from './format-version.ts';
import { decodeFrame } from './frame/decode-frame.ts';
import { encodeFrame } from './frame/encode-frame.ts';
import { PlainReader } from './frame/plain-reader.ts';
import { quantise } from './quantise.ts';
import { NO_RECORDS, type QuantisedRecords } from './quantised-records.ts';

/**
 * Encodes observations of any number of tracks, without duplicates of the same reference and time; not compressed. They are
 * written in rounds: the first observation of every track, then the second ones as a delta frame to the first, and so on, so
 * that each is predicted from the previous observation of its track.
 *
 *     number of observations, number of rounds, length of each frame, frames
 */
export function encodeObservations(observations: Iterable<Position>): Uint8Array {
  const tracks = tracksInTime(observations);
  const lengths: number[] = [];
  const frames: Uint8Array[] = [];
  let before: QuantisedRecords = NO_RECORDS;
  let count = 0;
  for (let round = 0; ; round++) {
    const positions = tracks.flatMap((track) => track[round] ?? []);
    if (positions.length === 0) break;
    const after = quantise(positions);
    const frame = encodeFrame(before, after);
    lengths.push(frame.reduce((sum, { byteLength }) => sum + byteLength, 0));
    frames.push(...frame);
    before = after;
    count += positions.length;
  }
  const head = new PbfWriter();
  for (const number of [count, lengths.length, ...lengths]) head.writeVarint(number);
  return tagged('observations', head.finish(), ...frames);
}

/**
 * Decodes the output of encodeObservations, one set of records per round.
 * @throws Error if the bytes are damaged, or of another version
 */
export function decodeObservations(bytes: Uint8Array): readonly QuantisedRecords[] {
  const reader = new PlainReader(untagged('observations', bytes));
  const count = reader.varint();
  const lengths = Array.from({ length: reader.count(1) }, () => reader.varint());
  const rounds: QuantisedRecords[] = [];
  let before: QuantisedRecords = NO_RECORDS;
  let read = 0;
  for (const length of lengths) {
    before = decodeFrame(before, reader.bytes(length)).records;
    rounds.push(before);
    read += before.count;
  }
  if (read !== count || reader.left > 0) throw new Error('the observations are damaged');
  return rounds;
}

/** The observations of each reference in order of time. Of duplicates (same reference and time) the first is kept. */
function tracksInTime(observations: Iterable<Position>): readonly (readonly Position[])[] {
  const tracks = new Map<string, Position[]>();
  for (const position of observations) {
    const track = tracks.get(position.ref);
    if (track) track.push(position);
    else tracks.set(position.ref, [position]);
  }
  return Array.from(tracks.values(), (track) =>
    track
      .toSorted((a, b) => compareInstants(a.observedAt, b.observedAt))
      .filter(({ observedAt }, index, sorted) => sorted[index - 1]?.observedAt !== observedAt),
  );
}
