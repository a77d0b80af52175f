import { COLUMN_NAMES, type Records } from './records.ts';

const EMPTY_HASH = 0x811c9dc5;

/** A 32-bit hash in each frame. It detects damage, and deltas of the wrong records, but not forgery. */
export function fingerprint({ refs, runs, columns, labels }: Records): number {
  let hash = EMPTY_HASH;
  for (const text of refs) hash = mixText(hash, text);
  for (const text of labels) hash = mixText(hash, text);
  for (const length of runs) hash = mixed(hash, length);
  for (const name of COLUMN_NAMES) {
    const column = columns[name];
    for (let row = 0; row < column.length; row++) hash = mixed(hash, column[row] as number);
  }
  return hash >>> 0;
}

export function textHash(text: string): number {
  return mixText(EMPTY_HASH, text) >>> 0;
}

function mixText(before: number, text: string): number {
  let hash = mixed(before, text.length);
  for (let at = 0; at < text.length; at++) hash = mixed(hash, text.charCodeAt(at));
  return hash;
}

/** FNV-1a on 32-bit words, with the high bits folded down so that every bit counts. */
function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x01000193);
  return product ^ (product >>> 15);
}
