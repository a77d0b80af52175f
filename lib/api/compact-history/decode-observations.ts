import { applyDelta } from '../compact/apply-delta.ts';
import { ByteReader } from '../compact/byte-reader.ts';
import { NO_RECORDS, type QuantisedRecords } from '../compact/quantised-records.ts';

/**
 * Reads what encodeObservations wrote: the n-th observations of all tracks that have so many, for each n.
 * @throws Error where the bytes are damaged
 */
export function decodeObservations(bytes: Uint8Array): readonly QuantisedRecords[] {
  const reader = new ByteReader(bytes);
  const count = reader.varint();
  const lengths = Array.from({ length: reader.count(1) }, () => reader.varint());
  const turns: QuantisedRecords[] = [];
  let before: QuantisedRecords = NO_RECORDS;
  let at = bytes.length - reader.left;
  let read = 0;
  for (const length of lengths) {
    if (at + length > bytes.length) throw new Error('the observations are cut');
    before = applyDelta(before, bytes.subarray(at, at + length)).records;
    turns.push(before);
    at += length;
    read += before.count;
  }
  if (read !== count || at !== bytes.length) throw new Error('the observations are damaged');
  return turns;
}
