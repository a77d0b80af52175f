import type { Position } from '#lib/model/position.ts';
import { type PositionColumns, positionAt } from '#lib/model/position-at.ts';
import { byName, LABEL_NAMES, type LabelName, NUMBER_NAMES } from '#lib/model/record-fields.ts';
import {
  KEPT_EXACTLY,
  NO_VALUE,
  type QuantisedRecords,
  type QuantityName,
  referenceAt,
  STEPS_PER_UNIT,
} from './quantised-records.ts';

/**
 * Records as columns, which a worker transfers to the page without copying. `labels` contains each distinct text once; the label
 * columns are indexes into it, 0 if not reported.
 */
export interface RecordColumns extends PositionColumns, Readonly<Record<LabelName, Uint16Array>> {
  readonly count: number;
  /** Distinct. */
  readonly refs: readonly string[];
  readonly labels: readonly (string | undefined)[];
  /** Bits of record-fields.ts. */
  readonly flags: Uint8Array;
}

/** Number of labels that a 16-bit column can index. */
const MAX_LABELS = 0x10000;

/**
 * @param indexes of the requested records; `undefined`: all
 * @throws RangeError if the records have more than 65,535 distinct labels
 */
export function columnsOf(records: QuantisedRecords, indexes: Uint32Array | undefined): RecordColumns {
  if (records.labels.length > MAX_LABELS) throw new RangeError('too many distinct labels');
  const wanted = indexes ?? Uint32Array.from({ length: records.count }, (_, index) => index);
  const observedAtMs = Float64Array.from(wanted, (index) => records.observedAtMs[index] as number);
  const ttlMs = quantityValues(records, 'ttlMs', wanted);
  return {
    count: wanted.length,
    refs: Array.from(wanted, (index) => referenceAt(records, index)),
    labels: records.labels,
    flags: Uint8Array.from(wanted, (index) => records.flags[index] as number),
    ...byName(LABEL_NAMES, (name) => Uint16Array.from(wanted, (index) => records.labelIndexes[name][index] as number)),
    observedAtMs,
    staleAfterMs: ttlMs.map((ttlMs, at) => (observedAtMs[at] as number) + ttlMs),
    ...byName(NUMBER_NAMES, (name) => quantityValues(records, name, wanted)),
  };
}

/** The columns' buffers, as the transfer list of a worker's message. */
export function columnBuffers(columns: object): ArrayBuffer[] {
  return Object.values(columns).flatMap((column: unknown) =>
    ArrayBuffer.isView(column) ? [column.buffer as ArrayBuffer] : [],
  );
}

/** The records as positions; encoding them again gives the same records. */
export function positionsOf(records: QuantisedRecords): readonly Position[] {
  const columns = columnsOf(records, undefined);
  return columns.refs.map((ref, index) =>
    positionAt(columns, index, {
      ref,
      flags: columns.flags[index] as number,
      label: (name) => columns.labels[columns[name][index] as number],
    }),
  );
}

function quantityValues(records: QuantisedRecords, name: QuantityName, wanted: Uint32Array): Float64Array {
  const { steps, exact } = records.quantities[name];
  const perUnit = STEPS_PER_UNIT[name];
  const values = new Float64Array(wanted.length);
  for (let at = 0; at < wanted.length; at++) {
    const index = wanted[at] as number;
    const value = steps[index] as number;
    if (value > KEPT_EXACTLY) values[at] = value / perUnit;
    else values[at] = value === NO_VALUE ? Number.NaN : (exact.get(index) as number);
  }
  return values;
}
