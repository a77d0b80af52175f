import { referenceText } from './reference-parts.ts';

/**
 * Quantities of a record in the order in which frames hold them: a later one may be predicted from an earlier one.
 * `lifetimeMs` is stale_after − observed_at: nearly the same for all.
 */
export const QUANTITY_NAMES = [
  'lifetimeMs',
  'lon',
  'lat',
  'altitudeM',
  'heightAglM',
  'speedMps',
  'headingDeg',
  'confidenceScore',
  'receiverCount',
] as const;

export type QuantityName = (typeof QUANTITY_NAMES)[number];

/** 1e-6°, 0.01 m, 0.01 m/s, 0.1°, 1 ms. Finer than the sources report; feet and knots stay whole multiples at 0.01. */
export const UNITS_PER: Readonly<Record<QuantityName, number>> = {
  lifetimeMs: 1,
  lon: 1e6,
  lat: 1e6,
  altitudeM: 100,
  heightAglM: 100,
  speedMps: 100,
  headingDeg: 10,
  confidenceScore: 1e6,
  receiverCount: 1,
};

/** In `units`: null on the wire. */
export const NOT_REPORTED = -0x80000000;
/** In `units`: a value that whole units cannot hold; it stands in `exact`. */
export const KEPT_EXACTLY = -0x7fffffff;

export interface Quantity {
  readonly units: Int32Array;
  /** By index of the record, where `units` says so. */
  readonly exact: ReadonlyMap<number, number>;
}

export const BIT_SIMULATED = 1;
export const BIT_TEST = 2;
export const BIT_DRONE = 4;

/**
 * Records as columns of integers, each reference once. They stand in the order of `stem`, `refHigh`, `refLow`: that of the
 * references where all have one prefix. Two sets with the same records have the same columns, whatever way they came about.
 */
export interface QuantisedRecords {
  readonly count: number;
  /**
   * What references begin with, up to their 16 hexadecimal digits, in text order; from `prefixCount` on references of another
   * form, whole, in text order. Only those in use.
   */
  readonly stems: readonly string[];
  readonly prefixCount: number;
  readonly stem: Uint32Array;
  /** The 16 digits as a number of 64 bits; 0 where the stem is the whole reference. */
  readonly refHigh: Uint32Array;
  readonly refLow: Uint32Array;
  readonly flags: Uint8Array;
  /** First `undefined` (not reported), then each label in use, in text order. */
  readonly labels: readonly (string | undefined)[];
  readonly confidence: Uint32Array;
  readonly emergency: Uint32Array;
  /** Whole milliseconds of the epoch. */
  readonly observedAtMs: Float64Array;
  readonly quantities: Readonly<Record<QuantityName, Quantity>>;
}

export const NO_RECORDS: QuantisedRecords = {
  count: 0,
  stems: [],
  prefixCount: 0,
  stem: new Uint32Array(0),
  refHigh: new Uint32Array(0),
  refLow: new Uint32Array(0),
  flags: new Uint8Array(0),
  labels: [undefined],
  confidence: new Uint32Array(0),
  emergency: new Uint32Array(0),
  observedAtMs: new Float64Array(0),
  quantities: quantitiesOf(() => ({ units: new Int32Array(0), exact: new Map() })),
};

/** One value for each quantity, made in their order. */
export function quantitiesOf<T>(make: (name: QuantityName) => T): Record<QuantityName, T> {
  return Object.fromEntries(QUANTITY_NAMES.map((name) => [name, make(name)])) as Record<QuantityName, T>;
}

/** In the quantity's own unit (degrees, metres, …); NaN where it was not reported. */
export function valueAt(records: QuantisedRecords, name: QuantityName, index: number): number {
  const { units, exact } = records.quantities[name];
  const value = units[index] as number;
  if (value > KEPT_EXACTLY) return value / UNITS_PER[name];
  return value === NOT_REPORTED ? Number.NaN : (exact.get(index) as number);
}

export function referenceAt({ stems, prefixCount, stem, refHigh, refLow }: QuantisedRecords, index: number): string {
  const at = stem[index] as number;
  const text = stems[at] as string;
  return at < prefixCount ? referenceText(text, refHigh[index] as number, refLow[index] as number) : text;
}
