import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { readIntColumn, writeIntColumn } from './int-column.ts';
import type { QuantisedRecords } from './quantised-records.ts';
import { mergeRows, NEW, type RowPlan, rowOrder } from './row-plan.ts';

type References = Pick<QuantisedRecords, 'count' | 'stem' | 'refHigh' | 'refLow'>;

/** Bytes of a reference's digits. */
const HALF_WIDTH = 4;
const REFERENCE_BYTES = 2 * HALF_WIDTH;

/**
 * Which records of `before` are gone, which differ, and the references of new ones. Indexes are written as distances, so that
 * runs of changed records are runs of zeros, and references as differences to the one before in their order.
 */
export function writeRows(writer: ByteWriter, plan: RowPlan, after: References): void {
  const changed: number[] = [];
  const added: number[] = [];
  for (const index of plan.written) {
    const indexBefore = plan.from[index] as number;
    if (indexBefore === NEW) added.push(index);
    else changed.push(indexBefore);
  }
  writeAscending(writer, plan.gone);
  writeAscending(writer, changed);
  writer.varint(added.length);
  writeReferences(writer, pickReferences(after, added));
}

export interface ReadRows {
  readonly plan: RowPlan;
  readonly references: References;
}

/** @throws Error where the bytes do not fit `before` */
export function readRows(reader: ByteReader, before: References, stemCount: number): ReadRows {
  const gone = readAscending(reader, before.count);
  const changed = readAscending(reader, before.count);
  const added = readReferences(reader, reader.count(REFERENCE_BYTES), stemCount);
  const isGone = marked(gone, before.count);
  const isChanged = marked(changed, before.count);
  const count = before.count - gone.length + added.count;
  const from = new Int32Array(count);
  const references = {
    count,
    stem: new Uint32Array(count),
    refHigh: new Uint32Array(count),
    refLow: new Uint32Array(count),
  };
  const written: number[] = [];
  let index = 0;
  mergeRows(before, added, (indexBefore, indexAdded) => {
    const isKept = indexBefore >= 0 && !isGone[indexBefore];
    if (isKept && indexAdded >= 0) throw new Error('the frame is damaged: a new reference was there before');
    if (!isKept && indexAdded < 0) {
      if (isChanged[indexBefore]) throw new Error('the frame is damaged: a record is gone and changed');
      return;
    }
    const [source, at] = isKept ? [before, indexBefore] : [added, indexAdded];
    references.stem[index] = source.stem[at] as number;
    references.refHigh[index] = source.refHigh[at] as number;
    references.refLow[index] = source.refLow[at] as number;
    from[index] = isKept ? indexBefore : NEW;
    if (!isKept || isChanged[indexBefore]) written.push(index);
    index++;
  });
  return { plan: { from, written: Uint32Array.from(written), gone }, references };
}

function writeAscending(writer: ByteWriter, indexes: ArrayLike<number>): void {
  writer.varint(indexes.length);
  let next = 0;
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at] as number;
    writer.varint(index - next);
    next = index + 1;
  }
}

function readAscending(reader: ByteReader, end: number): Uint32Array {
  const indexes = new Uint32Array(reader.count(1));
  let next = 0;
  for (let at = 0; at < indexes.length; at++) {
    const index = next + reader.varint();
    if (index >= end) throw new Error('the frame is damaged: there is no such record');
    indexes[at] = index;
    next = index + 1;
  }
  return indexes;
}

function writeReferences(writer: ByteWriter, { stem, refHigh, refLow }: References): void {
  const [stems, highs, lows] = [stem.slice(), refHigh.slice(), refLow.slice()];
  for (let at = stem.length - 1; at > 0; at--) {
    if (stem[at] === stem[at - 1]) {
      const borrow = (refLow[at] as number) < (refLow[at - 1] as number) ? 1 : 0;
      lows[at] = (refLow[at] as number) - (refLow[at - 1] as number);
      highs[at] = (refHigh[at] as number) - (refHigh[at - 1] as number) - borrow;
    }
    stems[at] = (stem[at] as number) - (stem[at - 1] as number);
  }
  writeIntColumn(writer, new Int32Array(stems));
  writer.planes(lows, HALF_WIDTH);
  writer.planes(highs, HALF_WIDTH);
}

function readReferences(reader: ByteReader, count: number, stemCount: number): References {
  const stem = Uint32Array.from(readIntColumn(reader, count));
  const refLow = reader.planes(count, HALF_WIDTH);
  const refHigh = reader.planes(count, HALF_WIDTH);
  const references = { count, stem, refHigh, refLow };
  for (let at = 0; at < count; at++) {
    if (at > 0) {
      const isSameStem = stem[at] === 0;
      stem[at] = (stem[at] as number) + (stem[at - 1] as number);
      if (isSameStem) {
        const low = (refLow[at] as number) + (refLow[at - 1] as number);
        refLow[at] = low;
        refHigh[at] = (refHigh[at] as number) + (refHigh[at - 1] as number) + (low > 0xffffffff ? 1 : 0);
      }
    }
    const isAscending = at === 0 || rowOrder(references, at - 1, references, at) < 0;
    if ((stem[at] as number) >= stemCount || !isAscending)
      throw new Error('the frame is damaged: references out of order');
  }
  return references;
}

function pickReferences({ stem, refHigh, refLow }: References, indexes: readonly number[]): References {
  const pick = (column: Uint32Array) => Uint32Array.from(indexes, (index) => column[index] as number);
  return { count: indexes.length, stem: pick(stem), refHigh: pick(refHigh), refLow: pick(refLow) };
}

function marked(indexes: Uint32Array, length: number): Uint8Array {
  const marks = new Uint8Array(length);
  for (const index of indexes) marks[index] = 1;
  return marks;
}
