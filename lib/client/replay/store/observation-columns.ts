import { decodeObservations } from '#lib/codec/observations.ts';
import { columnsOf, type RecordColumns } from '#lib/codec/record-columns.ts';
import { byName, LABEL_NAMES, NUMBER_NAMES } from '#lib/model/record-fields.ts';

/**
 * Observations of a window as columns, in any order; units, flags and labels are those of `RecordColumns`. `refs` contains the
 * distinct public track references; the reference of observation i is `refs[refIndex[i]]`. Historical records have no
 * `stale_after`.
 */
export interface ObservationColumns extends Omit<RecordColumns, 'staleAfterMs'> {
  readonly refIndex: Uint32Array;
}

/**
 * Decodes the body of a part.
 * @throws Error if the bytes are damaged, or of another version of the format
 */
export function openObservations(bytes: Uint8Array): ObservationColumns {
  const rounds = decodeObservations(bytes).map((round) => columnsOf(round, undefined));
  const count = rounds.reduce((sum, round) => sum + round.count, 0);
  const refs = new Index<string>();
  const labels = new Index<string | undefined>();
  labels.of(undefined);
  const refIndex = new Uint32Array(count);
  const flags = new Uint8Array(count);
  const labelColumns = byName(LABEL_NAMES, () => new Uint16Array(count));
  let at = 0;
  for (const round of rounds) {
    for (const [index, ref] of round.refs.entries()) refIndex[at + index] = refs.of(ref);
    flags.set(round.flags, at);
    for (const name of LABEL_NAMES) {
      for (const [index, label] of round[name].entries())
        labelColumns[name][at + index] = labels.of(round.labels[label]);
    }
    at += round.count;
  }
  const numbers = (name: 'observedAtMs' | (typeof NUMBER_NAMES)[number]) =>
    joined(
      rounds.map((round) => round[name]),
      count,
    );
  return {
    count,
    refs: refs.values,
    refIndex,
    labels: labels.values,
    flags,
    ...labelColumns,
    observedAtMs: numbers('observedAtMs'),
    ...byName(NUMBER_NAMES, numbers),
  };
}

function joined(columns: readonly Float64Array[], count: number): Float64Array {
  const whole = new Float64Array(count);
  let at = 0;
  for (const column of columns) {
    whole.set(column, at);
    at += column.length;
  }
  return whole;
}

/** Assigns indexes to distinct values, in order of first use. */
class Index<T> {
  readonly values: T[] = [];
  readonly #at = new Map<T, number>();

  of(value: T): number {
    let at = this.#at.get(value);
    if (at === undefined) {
      at = this.values.push(value) - 1;
      this.#at.set(value, at);
    }
    return at;
  }
}
