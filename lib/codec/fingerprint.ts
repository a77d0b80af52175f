import { LABEL_NAMES } from '#lib/model/record-fields.ts';
import { QUANTITY_NAMES, type QuantisedRecords } from './quantised-records.ts';

const EMPTY_HASH = 0x811c9dc5;

/**
 * A 32-bit hash over every column. A frame contains that of its records, which detects damage and deltas that are applied to
 * the wrong records. It does not protect against forgery.
 */
export function fingerprint(records: QuantisedRecords): number {
  const floats = new DataView(new ArrayBuffer(8));
  const mixFloat = (before: number, value: number) => {
    // The bit pattern of NaN depends on the engine.
    floats.setFloat64(0, Number.isNaN(value) ? 0 : value);
    return mixed(mixed(before, floats.getInt32(0)), floats.getInt32(4));
  };

  let hash = mixed(mixed(EMPTY_HASH, records.count), records.wholeFrom);
  for (const text of [...records.prefixes, ...records.labels]) hash = mixText(hash, text);
  for (const column of [records.prefix, records.refHigh, records.refLow]) hash = mixColumn(hash, column);
  hash = mixColumn(hash, records.flags);
  for (const name of LABEL_NAMES) hash = mixColumn(hash, records.labelIndexes[name]);
  for (const observedAtMs of records.observedAtMs) hash = mixFloat(hash, observedAtMs);
  for (const name of QUANTITY_NAMES) {
    const { steps, exact } = records.quantities[name];
    hash = mixColumn(hash, steps);
    for (const index of Array.from(exact.keys()).sort((a, b) => a - b))
      hash = mixFloat(hash, exact.get(index) as number);
  }
  return hash >>> 0;
}

export function textHash(text: string): number {
  return mixText(EMPTY_HASH, text) >>> 0;
}

function mixText(before: number, text: string | undefined): number {
  let hash = mixed(before, text?.length ?? -1);
  for (let at = 0; at < (text?.length ?? 0); at++) hash = mixed(hash, text?.charCodeAt(at) as number);
  return hash;
}

function mixColumn(before: number, column: Int32Array | Uint32Array | Uint8Array): number {
  let hash = before;
  for (let index = 0; index < column.length; index++) hash = mixed(hash, column[index] as number);
  return hash;
}

/** One step of FNV-1a on 32-bit words, with the high bits folded down so that every bit affects the result. */
function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x01000193);
  return product ^ (product >>> 15);
}
