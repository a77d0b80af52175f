import type { Position } from '#lib/model/position.ts';
import { ByteWriter } from '../compact/byte-writer.ts';
import { encodeDelta } from '../compact/encode-delta.ts';
import { quantise } from '../compact/quantise.ts';
import { NO_RECORDS, type QuantisedRecords } from '../compact/quantised-records.ts';
import { tracksInTime } from './tracks-in-time.ts';

/**
 * Observations of any number of tracks, each reference and time once; not compressed yet. They are written as the first
 * observation of every track, then the second of every track that has one as a delta from the first, and so on: each is
 * predicted from the one before it of the same track.
 *
 *     number of observations, number of deltas, the length of each, then the deltas
 */
export function encodeObservations(observations: Iterable<Position>): Uint8Array {
  const tracks = tracksInTime(observations);
  const deltas: Uint8Array[] = [];
  let before: QuantisedRecords = NO_RECORDS;
  let count = 0;
  for (let turn = 0; ; turn++) {
    const positions = tracks.flatMap((track) => track[turn] ?? []);
    if (positions.length === 0) break;
    const after = quantise(positions);
    deltas.push(encodeDelta(before, after));
    before = after;
    count += positions.length;
  }
  const head = new ByteWriter();
  head.varint(count);
  head.varint(deltas.length);
  for (const delta of deltas) head.varint(delta.byteLength);
  return joined([head.written(), ...deltas]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
