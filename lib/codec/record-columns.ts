import { UNREPORTED } from '#lib/columns/column.ts';
import type { Position } from '#lib/model/position.ts';
import { type PositionColumns, positionAt } from '#lib/model/position-at.ts';
import { byName, LABEL_NAMES, type LabelName, NUMBER_NAMES, numberField } from '#lib/model/record-fields.ts';
import { observedMsAt, type Records } from './records.ts';

/** A worker transfers the columns without copying. Label columns index `labels`, 0 if not reported. */
export interface RecordColumns extends PositionColumns, Readonly<Record<LabelName, Uint16Array>> {
  readonly count: number;
  readonly refs: readonly string[];
  readonly labels: readonly (string | undefined)[];
  readonly flags: Uint8Array;
}

const MAX_LABELS = 0xffff;

/**
 * @param rows default: all
 * @throws RangeError above 65,535 distinct labels
 */
export function columnsOf(
  records: Records,
  rows: Uint32Array = Uint32Array.from({ length: records.count }, (_, row) => row),
): RecordColumns {
  if (records.labels.length > MAX_LABELS) throw new RangeError('too many distinct labels');
  const { columns, refs } = records;
  const indexes = referenceIndexes(records);
  const observedAtMs = Float64Array.from(rows, (row) => observedMsAt(records, row));
  return {
    count: rows.length,
    refs: Array.from(rows, (row) => refs[indexes[row] as number] as string),
    labels: [undefined, ...records.labels],
    flags: Uint8Array.from(rows, (row) => columns.flags[row] as number),
    ...byName(LABEL_NAMES, (name) => Uint16Array.from(rows, (row) => labelIndex(columns[name][row] as number))),
    observedAtMs,
    staleAfterMs: quantities(columns.ttlMs, 1, rows).map((ttlMs, at) => (observedAtMs[at] as number) + ttlMs),
    ...byName(NUMBER_NAMES, (name) => quantities(columns[name], numberField(name).stepsPerUnit, rows)),
  };
}

export function referenceIndexes({ count, runs }: Records): Uint32Array {
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

function quantities(column: Int32Array, perUnit: number, rows: Uint32Array): Float64Array {
  const values = new Float64Array(rows.length);
  for (let at = 0; at < values.length; at++) {
    const steps = column[rows[at] as number] as number;
    values[at] = steps === UNREPORTED ? Number.NaN : steps / perUnit;
  }
  return values;
}
