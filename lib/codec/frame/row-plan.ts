import { LABEL_NAMES } from '#lib/model/record-fields.ts';
import { KEPT_EXACTLY, QUANTITY_NAMES, type QuantisedRecords } from '../quantised-records.ts';

/** How the records of one set (`after`) relate to those of another (`before`). */
export interface RowPlan {
  /** By index in `after`: the index in `before`, or `NEW`. */
  readonly from: Int32Array;
  /** Indexes in `after` of new and changed records, ascending. */
  readonly written: Uint32Array;
  /** Indexes in `before` of records that are gone, ascending. */
  readonly gone: Uint32Array;
}

export const NEW = -1;

export type References = Pick<QuantisedRecords, 'count' | 'prefix' | 'refHigh' | 'refLow'>;

/** Compares two records by reference. Both sets must use the same dictionary of prefixes. */
export function rowOrder(a: References, indexA: number, b: References, indexB: number): number {
  return (
    (a.prefix[indexA] as number) - (b.prefix[indexB] as number) ||
    (a.refHigh[indexA] as number) - (b.refHigh[indexB] as number) ||
    (a.refLow[indexA] as number) - (b.refLow[indexB] as number)
  );
}

/** Merges both sets in the order of references; `visit` gets −1 for a set that does not contain the reference. */
export function mergeRows(a: References, b: References, visit: (indexA: number, indexB: number) => void): void {
  let [indexA, indexB] = [0, 0];
  while (indexA < a.count || indexB < b.count) {
    const order = indexA === a.count ? 1 : indexB === b.count ? -1 : rowOrder(a, indexA, b, indexB);
    visit(order <= 0 ? indexA : -1, order >= 0 ? indexB : -1);
    if (order <= 0) indexA++;
    if (order >= 0) indexB++;
  }
}

/** Compares two sets, which must use the same dictionaries. */
export function planRows(before: QuantisedRecords, after: QuantisedRecords): RowPlan {
  const from = new Int32Array(after.count);
  const gone: number[] = [];
  mergeRows(before, after, (indexBefore, indexAfter) => {
    if (indexAfter < 0) gone.push(indexBefore);
    else from[indexAfter] = indexBefore;
  });
  const differs = differing(before, after, from);
  const written = new Uint32Array(after.count);
  let count = 0;
  for (let index = 0; index < after.count; index++) if (differs[index]) written[count++] = index;
  return { from, written: written.slice(0, count), gone: Uint32Array.from(gone) };
}

function differing(before: QuantisedRecords, after: QuantisedRecords, from: Int32Array): Uint8Array {
  const differs = new Uint8Array(after.count);
  const compare = (a: ArrayLike<number>, b: ArrayLike<number>) => {
    for (let index = 0; index < from.length; index++) {
      const indexBefore = from[index] as number;
      if (indexBefore === NEW || a[indexBefore] !== b[index]) differs[index] = 1;
    }
  };
  compare(before.flags, after.flags);
  for (const name of LABEL_NAMES) compare(before.labelIndexes[name], after.labelIndexes[name]);
  compare(before.observedAtMs, after.observedAtMs);
  for (const name of QUANTITY_NAMES) {
    const [a, b] = [before.quantities[name], after.quantities[name]];
    compare(a.steps, b.steps);
    for (const [index, value] of b.exact) {
      const indexBefore = from[index] as number;
      if (a.steps[indexBefore] === KEPT_EXACTLY && !Object.is(a.exact.get(indexBefore), value)) differs[index] = 1;
    }
  }
  return differs;
}
