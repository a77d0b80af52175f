import { UNREPORTED } from '#lib/columns/unreported.ts';
import { type Position, type PositionColumns, positionAt } from '#lib/model/position.ts';
import {
  byName,
  LABEL_NAMES,
  type LabelName,
  NUMBER_NAMES,
  type NumberName,
  numberField,
} from '#lib/model/record-fields.ts';
import { observedMsAt, type Records } from './records.ts';
import { toUnits } from './steps.ts';

/**
 * Records as a page has them. A worker transfers the columns without copying. Label columns index `labels`, 0 if not
 * reported.
 */
interface PageColumns extends Readonly<Record<LabelName, Uint16Array>> {
  readonly count: number;
  readonly refs: readonly string[];
  readonly labels: readonly (string | undefined)[];
  readonly flags: Uint8Array;
  readonly observedAtMs: Float64Array;
}

/** Columns with a reference for each record, and numbers in units. */
export interface RecordColumns extends PageColumns, PositionColumns {}

/** Observations of tracks in any order: `refs` are distinct, and observation i has `refs[refIndex[i]]`. Numbers are in steps. */
export interface ObservationColumns extends PageColumns, Readonly<Record<NumberName, Int32Array>> {
  readonly refIndex: Uint32Array;
}

const MAX_LABELS = 0xffff;

/**
 * @param rows default: all
 * @throws RangeError above 65,535 distinct labels
 */
export function columnsOf(records: Records, rows: Uint32Array = allRows(records)): RecordColumns {
  const { columns, refs } = records;
  const indexes = referenceIndexes(records);
  const page = pageColumns(records, rows);
  return {
    ...page,
    refs: Array.from(rows, (row) => refs[indexes[row] as number] as string),
    staleAfterMs: unitsAt(columns.ttlMs, 1, rows).map((ttlMs, at) => (page.observedAtMs[at] as number) + ttlMs),
    ...byName(NUMBER_NAMES, (name) => unitsAt(columns[name], numberField(name).stepsPerUnit, rows)),
  };
}

/** @throws RangeError above 65,535 distinct labels */
export function observationsOf(records: Records): ObservationColumns {
  return {
    ...pageColumns(records, allRows(records)),
    refs: records.refs,
    refIndex: referenceIndexes(records),
    // Columns without values share their memory, which can't be transferred.
    ...byName(NUMBER_NAMES, (name) => records.columns[name].slice()),
  };
}

function pageColumns(records: Records, rows: Uint32Array): Omit<PageColumns, 'refs'> {
  if (records.labels.length > MAX_LABELS) throw new RangeError('too many distinct labels');
  const { columns } = records;
  return {
    count: rows.length,
    labels: [undefined, ...records.labels],
    flags: Uint8Array.from(rows, (row) => columns.flags[row] as number),
    ...byName(LABEL_NAMES, (name) => Uint16Array.from(rows, (row) => labelIndex(columns[name][row] as number))),
    observedAtMs: Float64Array.from(rows, (row) => observedMsAt(records, row)),
  };
}

function allRows({ count }: Records): Uint32Array {
  return Uint32Array.from({ length: count }, (_, row) => row);
}

function referenceIndexes({ count, runs }: Records): Uint32Array {
  const indexes = new Uint32Array(count);
  for (let index = 0, row = 0; index < runs.length; index++) {
    const end = row + (runs[index] as number);
    indexes.fill(index, row, end);
    row = end;
  }
  return indexes;
}

export function columnBuffers(columns: object): ArrayBuffer[] {
  return Object.values(columns).flatMap((column: unknown) =>
    ArrayBuffer.isView(column) ? [column.buffer as ArrayBuffer] : [],
  );
}

export function positionsOf(records: Records): readonly Position[] {
  const columns = columnsOf(records);
  return columns.refs.map((ref, index) =>
    positionAt(columns, index, {
      ref,
      flags: columns.flags[index] as number,
      label: (name) => columns.labels[columns[name][index] as number],
    }),
  );
}

function labelIndex(index: number): number {
  return index === UNREPORTED ? 0 : index + 1;
}

function unitsAt(column: Int32Array, stepsPerUnit: number, rows: Uint32Array): Float64Array {
  const values = new Float64Array(rows.length);
  for (let at = 0; at < values.length; at++) {
    values[at] = toUnits(column[rows[at] as number] as number, stepsPerUnit);
  }
  return values;
}
