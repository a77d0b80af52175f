import { byName, LABEL_NAMES, type LabelName, NUMBER_NAMES, numberField } from '#lib/model/record-fields.ts';
import { referenceText } from './reference-parts.ts';

/**
 * The numbers of a record in the order in which frames hold them: a later one may be predicted from an earlier one.
 * `ttlMs` is stale_after − observed_at: nearly the same for all.
 */
export const QUANTITY_NAMES = ['ttlMs', ...NUMBER_NAMES] as const;
export type QuantityName = (typeof QUANTITY_NAMES)[number];

/** By quantity: steps to a unit, whole milliseconds of a lifetime. */
export const STEPS_PER_UNIT: Readonly<Record<QuantityName, number>> = byName(QUANTITY_NAMES, (name) =>
  name === 'ttlMs' ? 1 : numberField(name).stepsPerUnit,
);

/** In `steps`: null on the wire. */
export const NO_VALUE = -0x80000000;
/** In `steps`: a value that whole steps cannot hold; it stands in `exact`. */
export const KEPT_EXACTLY = -0x7fffffff;

export interface Quantity {
  readonly steps: Int32Array;
  /** By index of the record, where `steps` says so. */
  readonly exact: ReadonlyMap<number, number>;
}

/**
 * Records as columns of integers, each reference once. They stand in the order of `prefix`, `refHigh`, `refLow`: that of the
 * references where all have one prefix. Two sets with the same records have the same columns, whatever way they came about.
 */
export interface QuantisedRecords {
  readonly count: number;
  /**
   * What references begin with, up to their 16 hexadecimal digits, in text order; from `wholeFrom` on references of another
   * form, whole, in text order. Only those in use.
   */
  readonly prefixes: readonly string[];
  readonly wholeFrom: number;
  /** Index into `prefixes`. */
  readonly prefix: Uint32Array;
  /** The 16 digits as a number of 64 bits; 0 where `prefixes` has the whole reference. */
  readonly refHigh: Uint32Array;
  readonly refLow: Uint32Array;
  /** Bits of record-fields.ts. */
  readonly flags: Uint8Array;
  /** First `undefined` (not reported), then each label in use, in text order. */
  readonly labels: readonly (string | undefined)[];
  /** Indexes into `labels`. */
  readonly labelIndexes: Readonly<Record<LabelName, Uint32Array>>;
  /** Whole milliseconds of the epoch. */
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

/** In the quantity's own unit (degrees, metres, …); NaN where it was not reported. */
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

/** By UTF-16 code units: the same on any machine, whatever its language. */
export function textOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
