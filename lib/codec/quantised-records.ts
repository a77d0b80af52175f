import { byName, LABEL_NAMES, type LabelName, NUMBER_NAMES, numberField } from '#lib/model/record-fields.ts';
import { referenceText } from './reference-parts.ts';

/**
 * The numbers of a record in the order of the frame format: a later one may be predicted from an earlier one.
 * `ttlMs` is stale_after − observed_at, which is nearly the same for all records.
 */
export const QUANTITY_NAMES = ['ttlMs', ...NUMBER_NAMES] as const;
export type QuantityName = (typeof QUANTITY_NAMES)[number];

/** By quantity: steps per unit; times to live are whole milliseconds. */
export const STEPS_PER_UNIT: Readonly<Record<QuantityName, number>> = byName(QUANTITY_NAMES, (name) =>
  name === 'ttlMs' ? 1 : numberField(name).stepsPerUnit,
);

/** In `steps`: not reported. */
export const NO_VALUE = -0x80000000;
/** In `steps`: a value that is not representable in whole steps and is stored in `exact`. */
export const KEPT_EXACTLY = -0x7fffffff;

export interface Quantity {
  readonly steps: Int32Array;
  /** Exact values by index, for entries of `steps` that are `KEPT_EXACTLY`. */
  readonly exact: ReadonlyMap<number, number>;
}

/**
 * Records as columns of integers, with distinct references, sorted by `prefix`, `refHigh`, `refLow`. The representation is
 * canonical: equal sets of records have equal columns.
 */
export interface QuantisedRecords {
  readonly count: number;
  /**
   * First the distinct prefixes of references up to their 16 hexadecimal digits, in text order; then, from index `wholeFrom`,
   * the whole references of any other form, in text order. Contains no unused entries.
   */
  readonly prefixes: readonly string[];
  readonly wholeFrom: number;
  /** Index into `prefixes`. */
  readonly prefix: Uint32Array;
  /** High half of the 16 digits as a 64-bit integer; 0 if `prefixes` contains the whole reference. */
  readonly refHigh: Uint32Array;
  readonly refLow: Uint32Array;
  /** Bits of record-fields.ts. */
  readonly flags: Uint8Array;
  /** First `undefined` (not reported), then each distinct label, in text order. */
  readonly labels: readonly (string | undefined)[];
  /** Indexes into `labels`. */
  readonly labelIndexes: Readonly<Record<LabelName, Uint32Array>>;
  /** Whole epoch milliseconds. */
  readonly observedAtMs: Float64Array;
  readonly quantities: Readonly<Record<QuantityName, Quantity>>;
}

export const NO_RECORDS: QuantisedRecords = {
  count: 0,
  prefixes: [],
  wholeFrom: 0,
  prefix: new Uint32Array(0),
  refHigh: new Uint32Array(0),
  refLow: new Uint32Array(0),
  flags: new Uint8Array(0),
  labels: [undefined],
  labelIndexes: byName(LABEL_NAMES, () => new Uint32Array(0)),
  observedAtMs: new Float64Array(0),
  quantities: byName(QUANTITY_NAMES, () => ({ steps: new Int32Array(0), exact: new Map() })),
};

/** The value in the quantity's own unit (degrees, metres, …); NaN if not reported. */
export function valueAt(records: QuantisedRecords, name: QuantityName, index: number): number {
  const { steps, exact } = records.quantities[name];
  const value = steps[index] as number;
  if (value > KEPT_EXACTLY) return value / STEPS_PER_UNIT[name];
  return value === NO_VALUE ? Number.NaN : (exact.get(index) as number);
}

export function referenceAt({ prefixes, wholeFrom, prefix, refHigh, refLow }: QuantisedRecords, index: number): string {
  const at = prefix[index] as number;
  const text = prefixes[at] as string;
  return at < wholeFrom ? referenceText(text, refHigh[index] as number, refLow[index] as number) : text;
}

/** Compares by UTF-16 code units, independently of the locale. */
export function textOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
