import { QUANTITY_NAMES, type QuantisedRecords } from './quantised-records.ts';

/**
 * 32 bits that follow from every column. A frame carries that of the records it stands for: who decodes a damaged one, or
 * applies a delta to other records than it was made from, notices. It is no protection from a forger.
 */
export function fingerprint(records: QuantisedRecords): number {
  const floats = new DataView(new ArrayBuffer(8));
  let hash = mixed(0x811c9dc5, records.count);
  const mixFloat = (value: number) => {
    // The bits of a NaN are the engine's own.
    floats.setFloat64(0, Number.isNaN(value) ? 0 : value);
    hash = mixed(mixed(hash, floats.getInt32(0)), floats.getInt32(4));
  };
  const mixText = (text: string | undefined) => {
    hash = mixed(hash, text?.length ?? -1);
    for (let at = 0; at < (text?.length ?? 0); at++) hash = mixed(hash, text?.charCodeAt(at) as number);
  };
  const mixColumn = (column: Int32Array | Uint32Array | Uint8Array) => {
    let running = hash;
    for (let index = 0; index < column.length; index++) running = mixed(running, column[index] as number);
    hash = running;
  };

  hash = mixed(hash, records.prefixCount);
  for (const stem of records.stems) mixText(stem);
  for (const label of records.labels) mixText(label);
  for (const column of [records.stem, records.refHigh, records.refLow]) mixColumn(column);
  for (const column of [records.flags, records.confidence, records.emergency]) mixColumn(column);
  for (const observedAtMs of records.observedAtMs) mixFloat(observedAtMs);
  for (const name of QUANTITY_NAMES) {
    const { units, exact } = records.quantities[name];
    mixColumn(units);
    for (const index of Array.from(exact.keys()).sort((a, b) => a - b)) mixFloat(exact.get(index) as number);
  }
  return hash >>> 0;
}

/** One step of a multiplicative hash (FNV-1a, 32-bit words), with its high bits turned down so that all bits matter. */
function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x01000193);
  return product ^ (product >>> 15);
}
