import * as z from 'zod/mini';
import { ByteReader, DamagedBytes, uint32Bytes } from '#lib/columns/bytes.ts';
import {
  checkedRuns,
  type Runs,
  readColumn,
  readPlanes,
  runsOf,
  writeColumn,
  writePlanes,
} from '#lib/columns/column.ts';
import { UNREPORTED } from '#lib/columns/unreported.ts';
import { byName, LABEL_NAMES } from '#lib/model/record-fields.ts';
import { unversioned, versioned } from './format-version.ts';
import { COLUMN_NAMES, type ColumnName, fingerprint, NO_RECORDS, type Records } from './records.ts';
import { readReferences, referenceTexts, writeReferences } from './references.ts';

/**
 * Frames: all records, or the delta from earlier ones, as bytes. They are decoded to equal records, or refused. Compression
 * is up to the caller. docs/wire.md draws the layout.
 */

/** Bounds the memory that a damaged count takes. */
export const ROWS_MAX = 1 << 19;

/** How an earlier record is among the later ones: a byte of the format. */
const SAME = 0;
const CHANGED = 1;
const GONE = 2;

/** Stands in place of an index among the earlier records. */
const NEW = -1;

const textsSchema = z.object({
  prefixes: z.array(z.string()),
  wholes: z.array(z.string()),
  labels: z.array(z.string()),
});
const NO_TEXTS = { prefixes: [], wholes: [], labels: [] };

export interface DecodedFrame {
  readonly records: Records;
  readonly changed: Uint32Array;
  readonly gone: readonly string[];
}

/** @param earlier with one row for each reference, like `records` then */
export function encodeFrame(records: Records, earlier: Records = NO_RECORDS): Uint8Array {
  const labels = records.labels.filter((label) => !earlier.labels.includes(label));
  const after = relabelled(records, [...earlier.labels, ...labels]);
  const { states, from } = changesOf(earlier, after);
  const isNew = (_: unknown, index: number) => from[index] === NEW;
  const added = after.refs.filter(isNew);
  const texts = { ...referenceTexts(added), labels };
  const json = added.length + labels.length === 0 ? '' : JSON.stringify(texts);
  const textBytes = new TextEncoder().encode(json);
  const { runs, rows, sources } = writtenRows(after, states, from);
  const times = picked(after.columns.observedMs, rows);
  return versioned(
    uint32Bytes(fingerprint(records), added.length, textBytes.length),
    textBytes,
    states,
    ...writeReferences(added, texts),
    writePlanes(after.runs.filter(isNew)),
    ...COLUMN_NAMES.flatMap((name) =>
      writeColumn(picked(after.columns[name], rows), runs, {
        before: picked(earlier.columns[name], sources),
        times: isPlace(name) ? times : undefined,
      }),
    ),
  );
}

/**
 * @param earlier the records that the frame was encoded from
 * @throws Error if the frame is damaged, of another version, or was encoded from other records
 */
export function decodeFrame(bytes: Uint8Array, earlier: Records = NO_RECORDS): DecodedFrame {
  const reader = new ByteReader(unversioned(bytes));
  const [expected, added, textsLength] = [reader.uint32(), reader.uint32(), reader.uint32()];
  const texts = textsLength === 0 ? NO_TEXTS : readTexts(reader.take(textsLength));
  if (added > ROWS_MAX) throw new DamagedBytes(`${added} references`);
  const states = reader.take(earlier.count);
  const addedRefs = readReferences(reader, added, texts);
  const addedRuns = readPlanes(reader, added);

  const refs: string[] = [];
  const runLengths: number[] = [];
  const from: number[] = [];
  const gone: string[] = [];
  eachReference(earlier.refs, addedRefs, (index, indexAdded) => {
    if (indexAdded < 0 && states[index] === GONE) {
      gone.push(earlier.refs[index] as string);
      return;
    }
    refs.push((addedRefs[indexAdded] ?? earlier.refs[index]) as string);
    runLengths.push(addedRuns[indexAdded] ?? 1);
    from.push(indexAdded < 0 ? index : NEW);
  });
  const { lengths: runs, rows: count } = checkedRuns(Uint32Array.from(runLengths), ROWS_MAX);
  if (earlier.count > 0 && count > refs.length) throw new DamagedBytes(`a delta of ${count} rows`);

  const written = writtenRows({ count, refs, runs }, states, Int32Array.from(from));
  const columns = readColumns(reader, earlier, { ...written, from, count });
  reader.end();
  const decoded = { count, refs, runs, columns, labels: [...earlier.labels, ...texts.labels] };
  const records = relabelled(decoded, labelsInUse(decoded));
  if (fingerprint(records) !== expected) throw new DamagedBytes('it is damaged, or was encoded from other records');
  return { records, changed: written.refs, gone };
}

function readTexts(bytes: Uint8Array): z.infer<typeof textsSchema> {
  try {
    return textsSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    throw new DamagedBytes('unreadable texts');
  }
}

interface Changes {
  /** The state of each earlier reference: SAME, CHANGED or GONE. */
  readonly states: Uint8Array;
  /** For each later reference its index among the earlier ones, or NEW. */
  readonly from: Int32Array;
}

/** @param before one row for each reference, with the same `labels` as `after` */
function changesOf(before: Records, after: Records): Changes {
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
function eachReference(
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

/** The part of the later records that a frame has: all but the SAME. */
interface WrittenRows {
  /** The index of each record's reference. */
  readonly refs: Uint32Array;
  readonly runs: Runs;
  readonly rows: Uint32Array;
  /** The earlier row of each run, or NEW. */
  readonly sources: Int32Array;
}

function writtenRows(
  { count, refs, runs }: Pick<Records, 'count' | 'refs' | 'runs'>,
  states: Uint8Array,
  from: Int32Array,
): WrittenRows {
  const all = Uint32Array.from({ length: refs.length }, (_, index) => index);
  const written = all.filter((index) => states[from[index] as number] !== SAME);
  return {
    refs: written,
    runs: runsOf(written.map((index) => runs[index] as number)),
    // With several rows for a reference, all are new.
    rows: count === refs.length ? written : Uint32Array.from({ length: count }, (_, row) => row),
    sources: Int32Array.from(written, (index) => from[index] as number),
  };
}

function readColumns(
  reader: ByteReader,
  { columns: before }: Records,
  { runs, rows, sources, from, count }: WrittenRows & { readonly from: readonly number[]; readonly count: number },
): Records['columns'] {
  let times: Int32Array | undefined;
  return byName(COLUMN_NAMES, (name) => {
    const values = readColumn(reader, runs, {
      before: picked(before[name], sources),
      times: isPlace(name) ? times : undefined,
    });
    if (name === 'observedMs') times = values;
    if (rows.length === count) return values;
    const all = picked(before[name], from);
    for (let at = 0; at < rows.length; at++) all[rows[at] as number] = values[at] as number;
    return all;
  });
}

/** Forecasts save bytes in these columns alone. */
function isPlace(name: ColumnName): boolean {
  return name === 'lon' || name === 'lat';
}

/** The column at some rows, UNREPORTED where a row is negative. */
function picked(column: Int32Array, rows: ArrayLike<number>): Int32Array {
  const values = new Int32Array(rows.length);
  for (let at = 0; at < values.length; at++) values[at] = column[rows[at] as number] ?? UNREPORTED;
  return values;
}

/** Labels that rows have, in the order of first use, as `recordsOf` lists them. */
function labelsInUse({ columns, labels }: Records): string[] {
  const used = new Set<number>();
  for (const name of LABEL_NAMES) for (const index of columns[name]) used.add(index);
  used.delete(UNREPORTED);
  return Array.from(used, (index) => {
    const label = labels[index];
    if (label === undefined) throw new DamagedBytes('a label that does not exist');
    return label;
  });
}

function relabelled(records: Records, labels: readonly string[]): Records {
  const indexes = records.labels.map((label) => labels.indexOf(label));
  const columns = byName(LABEL_NAMES, (name) => records.columns[name].map((index) => indexes[index] ?? UNREPORTED));
  return { ...records, labels, columns: { ...records.columns, ...columns } };
}
