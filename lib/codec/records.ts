import { UNREPORTED } from '#lib/columns/unreported.ts';
import { flagsOf, type Position } from '#lib/model/position.ts';
import { byName, LABEL_NAMES, NUMBER_NAMES, type NumberName, numberField } from '#lib/model/record-fields.ts';
import { compareInstants, epochMs } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { clampedSteps, toSteps, toUnits } from './steps.ts';

/** The columns of records, in the order of the format. `ttlMs` is stale_after − observed_at, nearly the same for all. */
export const COLUMN_NAMES = ['observedDay', 'observedMs', 'ttlMs', ...NUMBER_NAMES, 'flags', ...LABEL_NAMES] as const;
export type ColumnName = (typeof COLUMN_NAMES)[number];

/** Positions in columns, sorted by reference and time. Equal positions have equal columns. */
export interface Records {
  readonly count: number;
  /** The references, each once, in the order of UTF-16 code units. */
  readonly refs: readonly string[];
  /** How many consecutive rows each reference has. */
  readonly runs: Uint32Array;
  /**
   * By row, UNREPORTED if not reported: days since 1970, ms of the day, numbers in steps, flags as bits, labels as
   * indexes.
   */
  readonly columns: Readonly<Record<ColumnName, Int32Array>>;
  /** Each label once, in the order of first use by columns and rows. */
  readonly labels: readonly string[];
}

/** @param positions of equal reference and time, the first is kept */
export function recordsOf(positions: Iterable<Position>): Records {
  const rows = [...positions]
    .sort((a, b) => (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : compareInstants(a.observedAt, b.observedAt)))
    .filter((row, index, sorted) => !isSameObservation(row, sorted[index - 1]));
  const refs: string[] = [];
  const runs: number[] = [];
  for (const { ref } of rows) {
    if (refs.at(-1) === ref) runs.push((runs.pop() as number) + 1);
    else {
      refs.push(ref);
      runs.push(1);
    }
  }
  const labels = new Map<string | undefined, number>([[undefined, UNREPORTED]]);
  const column = (read: (row: Position) => number) => {
    const values = new Int32Array(rows.length);
    for (let row = 0; row < values.length; row++) values[row] = read(rows[row] as Position);
    return values;
  };
  const columns = {
    observedDay: column(({ observedAt }) => Math.floor(wholeMs(observedAt) / DAY_MS)),
    observedMs: column(({ observedAt }) => msOfDay(wholeMs(observedAt))),
    ttlMs: column(({ staleAfter, observedAt }) =>
      // A time to live of more than 12 days becomes 12 days.
      staleAfter === undefined ? UNREPORTED : clampedSteps(wholeMs(staleAfter) - wholeMs(observedAt)),
    ),
    ...byName(NUMBER_NAMES, (name) => {
      const { stepsPerUnit } = numberField(name);
      return column((row) => toSteps(row[name] ?? Number.NaN, stepsPerUnit));
    }),
    flags: column(flagsOf),
    ...byName(LABEL_NAMES, (name) =>
      column((row) => {
        if (!labels.has(row[name])) labels.set(row[name], labels.size - 1);
        return labels.get(row[name]) as number;
      }),
    ),
  };
  const texts = [...labels.keys()].slice(1) as string[];
  return { count: rows.length, refs, runs: Uint32Array.from(runs), columns, labels: texts };
}

export const NO_RECORDS = recordsOf([]);

/** @returns degrees, metres, …; NaN if not reported */
export function valueAt({ columns }: Records, name: NumberName, row: number): number {
  return toUnits(columns[name][row] as number, numberField(name).stepsPerUnit);
}

/** Epoch milliseconds of a row's observation. */
export function observedMsAt({ columns }: Records, row: number): number {
  return (columns.observedDay[row] as number) * DAY_MS + (columns.observedMs[row] as number);
}

function isSameObservation({ ref, observedAt }: Position, before: Position | undefined): boolean {
  return before?.ref === ref && before.observedAt === observedAt;
}

function wholeMs(instant: Position['observedAt']): number {
  return Math.round(epochMs(instant));
}

function msOfDay(ms: number): number {
  return ms - Math.floor(ms / DAY_MS) * DAY_MS;
}

const EMPTY_HASH = 0x811c9dc5;

/** A 32-bit hash in each frame. It detects damage, and deltas of the wrong records, but not forgery. */
export function fingerprint({ refs, runs, columns, labels }: Records): number {
  let hash = EMPTY_HASH;
  for (const text of refs) hash = mixText(hash, text);
  for (const text of labels) hash = mixText(hash, text);
  for (const length of runs) hash = mixed(hash, length);
  for (const name of COLUMN_NAMES) {
    const column = columns[name];
    for (let row = 0; row < column.length; row++) hash = mixed(hash, column[row] as number);
  }
  return hash >>> 0;
}

export function textHash(text: string): number {
  return mixText(EMPTY_HASH, text) >>> 0;
}

function mixText(before: number, text: string): number {
  let hash = mixed(before, text.length);
  for (let at = 0; at < text.length; at++) hash = mixed(hash, text.charCodeAt(at));
  return hash;
}

/** FNV-1a on 32-bit words, with the high bits folded down so that every bit counts. */
function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x01000193);
  return product ^ (product >>> 15);
}
