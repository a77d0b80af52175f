import { COLUMN_NAMES, type Records } from './records.ts';

export const NEW = -1;

export const SAME = 0;
const CHANGED = 1;
export const GONE = 2;

export interface Changes {
  /** By earlier reference: SAME, CHANGED or GONE. */
  readonly states: Uint8Array;
  /** By reference: index in the earlier records, or NEW. */
  readonly from: Int32Array;
}

/** @param before one row for each reference, with the same `labels` as `after` */
export function changesOf(before: Records, after: Records): Changes {
  const states = new Uint8Array(before.count);
  const from = new Int32Array(after.refs.length);
  eachReference(before.refs, after.refs, (earlier, index) => {
    if (index < 0) states[earlier] = GONE;
    else from[index] = earlier < 0 ? NEW : earlier;
  });
  if (before.count === 0) return { states, from };
  for (const name of COLUMN_NAMES) {
    const [old, fresh] = [before.columns[name], after.columns[name]];
    for (let index = 0, row = 0; index < from.length; index++) {
      const earlier = from[index] as number;
      if (earlier !== NEW && old[earlier] !== fresh[row]) states[earlier] = CHANGED;
      row += after.runs[index] as number;
    }
  }
  return { states, from };
}

/** Merges two sorted lists. `visit` gets −1 for a list without the reference. */
export function eachReference(
  a: readonly string[],
  b: readonly string[],
  visit: (indexA: number, indexB: number) => void,
): void {
  let [indexA, indexB] = [0, 0];
  while (indexA < a.length || indexB < b.length) {
    const [refA, refB] = [a[indexA], b[indexB]];
    const isA = refB === undefined || (refA !== undefined && refA <= refB);
    const isB = refA === undefined || (refB !== undefined && refB <= refA);
    visit(isA ? indexA++ : -1, isB ? indexB++ : -1);
  }
}
