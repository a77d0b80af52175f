import { KEPT_EXACTLY, QUANTITY_NAMES, type QuantisedRecords } from './quantised-records.ts';
import { mergeRows, NEW, type RowPlan } from './row-plan.ts';

/** Compares two sets with the same dictionaries. */
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
  compare(before.confidence, after.confidence);
  compare(before.emergency, after.emergency);
  compare(before.observedAtMs, after.observedAtMs);
  for (const name of QUANTITY_NAMES) {
    const [a, b] = [before.quantities[name], after.quantities[name]];
    compare(a.units, b.units);
    for (const [index, value] of b.exact) {
      const indexBefore = from[index] as number;
      if (a.units[indexBefore] === KEPT_EXACTLY && !Object.is(a.exact.get(indexBefore), value)) differs[index] = 1;
    }
  }
  return differs;
}
