import { AdaptiveIntegers } from './adaptive-integers.ts';
import type { FrameReader, FrameWriter } from './frame-streams.ts';
import { readIntColumn, writeIntColumn } from './int-column.ts';
import type { QuantisedRecords } from './quantised-records.ts';
import { mergeRows, NEW, type RowPlan, rowOrder } from './row-plan.ts';

type References = Pick<QuantisedRecords, 'count' | 'stem' | 'refHigh' | 'refLow'>;

/** In the plain part; the higher half is coded. */
const LOW_HALF_BYTES = 4;

/**
 * Which records of `before` are gone, which differ, and the references of new ones. Indexes are written as distances: runs of
 * changed records are runs of zeros.
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
  frame.plain.varint(added.length);
  writeReferences(frame, pickReferences(after, added));
}

export interface ReadRows {
  readonly plan: RowPlan;
  readonly references: References;
}

/** @throws Error where the bytes do not fit `before` */
export function readRows(frame: FrameReader, before: References, stemCount: number): ReadRows {
  const gone = readAscending(frame, before.count);
  const changed = readAscending(frame, before.count);
  const added = readReferences(frame, frame.plain.count(LOW_HALF_BYTES), stemCount);
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

function writeAscending(frame: FrameWriter, indexes: ArrayLike<number>): void {
  frame.plain.varint(indexes.length);
  const distances = new AdaptiveIntegers();
  let next = 0;
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at] as number;
    distances.write(frame.coded, index - next);
    next = index + 1;
  }
}

function readAscending(frame: FrameReader, end: number): Uint32Array {
  const count = frame.plain.varint();
  if (count > end) throw new Error('the frame is damaged: there are not so many records');
  const indexes = new Uint32Array(count);
  const distances = new AdaptiveIntegers();
  let next = 0;
  for (let at = 0; at < count; at++) {
    const index = next + distances.read(frame.coded);
    if (index < next || index >= end) throw new Error('the frame is damaged: there is no such record');
    indexes[at] = index;
    next = index + 1;
  }
  return indexes;
}

/** Each as the difference to the one before it in the order of references, the lower half plain: it is as good as random. */
function writeReferences(frame: FrameWriter, { count, stem, refHigh, refLow }: References): void {
  writeIntColumn(
    frame,
    new Int32Array(stem).map((index, at) => index - (at > 0 ? (stem[at - 1] as number) : 0)),
  );
  const highs = new AdaptiveIntegers();
  for (let at = 0; at < count; at++) {
    const isSameStem = at > 0 && stem[at] === stem[at - 1];
    const lowBefore = isSameStem ? (refLow[at - 1] as number) : 0;
    const highBefore = isSameStem ? (refHigh[at - 1] as number) : 0;
    const low = (refLow[at] as number) - lowBefore;
    frame.plain.uint32(low);
    highs.write(frame.coded, (refHigh[at] as number) - highBefore - (low < 0 ? 1 : 0));
  }
}

function readReferences(frame: FrameReader, count: number, stemCount: number): References {
  const stem = new Uint32Array(readIntColumn(frame, count));
  const references = { count, stem, refHigh: new Uint32Array(count), refLow: new Uint32Array(count) };
  const { refHigh, refLow } = references;
  const highs = new AdaptiveIntegers();
  for (let at = 0; at < count; at++) {
    const isSameStem = at > 0 && stem[at] === 0;
    if (at > 0) stem[at] = (stem[at] as number) + (stem[at - 1] as number);
    const low = frame.plain.uint32() + (isSameStem ? (refLow[at - 1] as number) : 0);
    refLow[at] = low;
    const highBefore = isSameStem ? (refHigh[at - 1] as number) : 0;
    refHigh[at] = highs.read(frame.coded) + highBefore + (low > 0xffffffff ? 1 : 0);
    const isAscending = at === 0 || rowOrder(references, at - 1, references, at) < 0;
    if ((stem[at] as number) >= stemCount || !isAscending) {
      throw new Error('the frame is damaged: references out of order');
    }
  }
  return references;
}

function pickReferences({ stem, refHigh, refLow }: References, indexes: readonly number[]): References {
  const pick = (column: Uint32Array) => {
    const picked = new Uint32Array(indexes.length);
    for (let at = 0; at < indexes.length; at++) picked[at] = column[indexes[at] as number] as number;
    return picked;
  };
  return { count: indexes.length, stem: pick(stem), refHigh: pick(refHigh), refLow: pick(refLow) };
}

function marked(indexes: Uint32Array, length: number): Uint8Array {
  const marks = new Uint8Array(length);
  for (const index of indexes) marks[index] = 1;
  return marks;
}
