import type { QuantisedRecords } from './quantised-records.ts';

/** How the records of one set come from those of another. */
export interface RowPlan {
  /** By index in `after`: the index in `before`, or `NEW`. */
  readonly from: Int32Array;
  /** Indexes in `after` of records that are new or differ, ascending. */
  readonly written: Uint32Array;
  /** Indexes in `before` of records that are gone, ascending. */
  readonly gone: Uint32Array;
}

export const NEW = -1;

type References = Pick<QuantisedRecords, 'count' | 'stem' | 'refHigh' | 'refLow'>;

/** The order of records. Their stems must be of the same dictionary. */
export function rowOrder(a: References, indexA: number, b: References, indexB: number): number {
  return (
    (a.stem[indexA] as number) - (b.stem[indexB] as number) ||
    (a.refHigh[indexA] as number) - (b.refHigh[indexB] as number) ||
    (a.refLow[indexA] as number) - (b.refLow[indexB] as number)
  );
}

/** Walks both sets in the order of references; `visit` gets −1 for the one that does not have the reference. */
export function mergeRows(a: References, b: References, visit: (indexA: number, indexB: number) => void): void {
  let [indexA, indexB] = [0, 0];
  while (indexA < a.count || indexB < b.count) {
    const order = indexA === a.count ? 1 : indexB === b.count ? -1 : rowOrder(a, indexA, b, indexB);
    visit(order <= 0 ? indexA : -1, order >= 0 ? indexB : -1);
    if (order <= 0) indexA++;
    if (order >= 0) indexB++;
  }
}
