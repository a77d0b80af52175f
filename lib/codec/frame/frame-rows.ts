import { readDifferences, writeDifferences } from './frame-columns.ts';
import type { FrameReader, FrameWriter } from './frame-parts.ts';
import { mergeRows, NEW, type References, type RowPlan, rowOrder } from './row-plan.ts';

/** The low half of a reference is in the plain part, the high half is entropy-coded. */
const LOW_HALF_BYTES = 4;

/**
 * Writes which records of `before` are gone, which changed, and the references of new ones. Indexes are written as gaps, so
 * that runs of changed records become runs of zeros.
 */
export function writeRows(frame: FrameWriter, plan: RowPlan, after: References): void {
  const changed: number[] = [];
  const added: number[] = [];
  for (const index of plan.written) {
    const indexBefore = plan.from[index] as number;
    if (indexBefore === NEW) added.push(index);
    else changed.push(indexBefore);
  }
  writeAscending(frame, plan.gone);
  writeAscending(frame, changed);
  frame.plain.writeVarint(added.length);
  writeReferences(frame, pickReferences(after, added));
}

export interface ReadRows {
  readonly plan: RowPlan;
  readonly references: References;
}

/** @throws Error if the bytes are inconsistent with `before` */
export function readRows(frame: FrameReader, before: References, prefixCount: number): ReadRows {
  const gone = readAscending(frame, before.count);
  const changed = readAscending(frame, before.count);
  const added = readReferences(frame, frame.plain.count(LOW_HALF_BYTES), prefixCount);
  const isGone = marked(gone, before.count);
  const isChanged = marked(changed, before.count);
  const count = before.count - gone.length + added.count;
  const from = new Int32Array(count);
  const references = {
    count,
    prefix: new Uint32Array(count),
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
    references.prefix[index] = source.prefix[at] as number;
    references.refHigh[index] = source.refHigh[at] as number;
    references.refLow[index] = source.refLow[at] as number;
    from[index] = isKept ? indexBefore : NEW;
    if (!isKept || isChanged[indexBefore]) written.push(index);
    index++;
  });
  return { plan: { from, written: Uint32Array.from(written), gone }, references };
}

function writeAscending({ plain, coded }: FrameWriter, indexes: ArrayLike<number>): void {
  plain.writeVarint(indexes.length);
  const gaps = new Int32Array(indexes.length);
  let next = 0;
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at] as number;
    gaps[at] = index - next;
    next = index + 1;
  }
  coded.write(gaps);
}

function readAscending({ plain, coded }: FrameReader, end: number): Uint32Array {
  const count = plain.varint();
  if (count > end) throw new Error('the frame is damaged: there are not so many records');
  const gaps = new Int32Array(count);
  coded.read(gaps);
  const indexes = new Uint32Array(count);
  let next = 0;
  for (let at = 0; at < count; at++) {
    const index = next + (gaps[at] as number);
    if (index < next || index >= end) throw new Error('the frame is damaged: there is no such record');
    indexes[at] = index;
    next = index + 1;
  }
  return indexes;
}

/** Writes each reference as the difference to the previous one. The low half is not coded, as it is practically random. */
function writeReferences(frame: FrameWriter, { count, prefix, refHigh, refLow }: References): void {
  writeDifferences(
    frame,
    new Int32Array(prefix).map((index, at) => index - (at > 0 ? (prefix[at - 1] as number) : 0)),
  );
  const highs = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const isSamePrefix = at > 0 && prefix[at] === prefix[at - 1];
    const lowBefore = isSamePrefix ? (refLow[at - 1] as number) : 0;
    const highBefore = isSamePrefix ? (refHigh[at - 1] as number) : 0;
    const low = (refLow[at] as number) - lowBefore;
    frame.plain.writeFixed32(low);
    highs[at] = (refHigh[at] as number) - highBefore - (low < 0 ? 1 : 0);
  }
  frame.coded.write(highs);
}

function readReferences(frame: FrameReader, count: number, prefixCount: number): References {
  const prefix = new Uint32Array(readDifferences(frame, count));
  const highs = new Float64Array(count);
  frame.coded.read(highs);
  const references = { count, prefix, refHigh: new Uint32Array(count), refLow: new Uint32Array(count) };
  const { refHigh, refLow } = references;
  for (let at = 0; at < count; at++) {
    const isSamePrefix = at > 0 && prefix[at] === 0;
    if (at > 0) prefix[at] = (prefix[at] as number) + (prefix[at - 1] as number);
    const low = frame.plain.uint32() + (isSamePrefix ? (refLow[at - 1] as number) : 0);
    refLow[at] = low;
    const highBefore = isSamePrefix ? (refHigh[at - 1] as number) : 0;
    refHigh[at] = (highs[at] as number) + highBefore + (low > 0xffffffff ? 1 : 0);
    const isAscending = at === 0 || rowOrder(references, at - 1, references, at) < 0;
    if ((prefix[at] as number) >= prefixCount || !isAscending) {
      throw new Error('the frame is damaged: references out of order');
    }
  }
  return references;
}

function pickReferences({ prefix, refHigh, refLow }: References, indexes: readonly number[]): References {
  const pick = (column: Uint32Array) => {
    const picked = new Uint32Array(indexes.length);
    for (let at = 0; at < indexes.length; at++) picked[at] = column[indexes[at] as number] as number;
    return picked;
  };
  return { count: indexes.length, prefix: pick(prefix), refHigh: pick(refHigh), refLow: pick(refLow) };
}

function marked(indexes: Uint32Array, length: number): Uint8Array {
  const marks = new Uint8Array(length);
  for (const index of indexes) marks[index] = 1;
  return marks;
}
