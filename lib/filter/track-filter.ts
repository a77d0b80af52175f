import { type Area, areaContains } from '#lib/geo/area.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** A range that includes `from`, and not `to`. At least one is given. */
export interface ValueRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

const FILTERED_MEASURES = ['altitudeM', 'heightAglM', 'speedMps', 'receiverCount'] as const;
export type FilteredMeasure = (typeof FILTERED_MEASURES)[number];

/** A filter on one must decide about records without it. */
export const UNKNOWABLE = [...FILTERED_MEASURES, 'confidence'] as const;
export type Unknowable = (typeof UNKNOWABLE)[number];

/** A record must meet every criterion that is not `undefined`. */
export interface TrackFilter extends Readonly<Record<FilteredMeasure, ValueRange | undefined>> {
  readonly kind: TrackKind | undefined;
  readonly ageS: ValueRange | undefined;
  readonly confidence: readonly string[] | undefined;
  readonly simulated: 'hide' | 'only' | undefined;
  readonly testBroadcast: 'hide' | 'only' | undefined;
  /** Known emergencies only. `show`: whatever else is filtered. */
  readonly emergency: 'only' | 'show' | undefined;
  readonly inside: Bbox | Area | 'view' | undefined;
  readonly unknown: 'show' | 'hide';
}

export const NO_FILTER: TrackFilter = {
  kind: undefined,
  altitudeM: undefined,
  heightAglM: undefined,
  speedMps: undefined,
  receiverCount: undefined,
  ageS: undefined,
  confidence: undefined,
  simulated: undefined,
  testBroadcast: undefined,
  emergency: undefined,
  inside: undefined,
  unknown: 'show',
};

/** The area that an operator drew or wrote. */
export function drawnArea({ inside }: TrackFilter): Area | undefined {
  return inside !== undefined && inside !== 'view' && 'kind' in inside ? inside : undefined;
}

export type Criterion = Exclude<keyof TrackFilter, 'unknown'>;
const CRITERIA = (Object.keys(NO_FILTER) as (keyof TrackFilter)[]).filter((name) => name !== 'unknown');

/** `unknown` alone narrows nothing. */
export function activeCriteria(filter: TrackFilter): readonly Criterion[] {
  return CRITERIA.filter((name) => filter[name] !== undefined);
}

export interface FilteredRecord {
  /** Bits of record-fields.ts; others are ignored. */
  readonly flags: number;
  readonly observedAtMs: number;
  readonly lon: number;
  readonly lat: number;
  readonly isEmergency: boolean;
  readonly confidence: string | undefined;
  /** NaN means "not reported". */
  readonly measure: (name: FilteredMeasure) => number;
}

const FAILS = -1;

/**
 * `FAILS`, or one bit for each filtered value that was not reported, by its index in `UNKNOWABLE`.
 * @param atMs the displayed time, epoch ms
 * @param visible the map's bounds; if unknown, every record is inside
 */
export function verdictOn(
  filter: TrackFilter,
  record: FilteredRecord,
  atMs: number,
  visible: Bbox | undefined,
): number {
  const { kind, ageS, confidence, simulated, testBroadcast, emergency } = filter;
  const { flags } = record;
  if (emergency === 'show' && record.isEmergency) return 0;
  if (kind !== undefined && (kind === 'drone') !== ((flags & FLAG_DRONE) !== 0)) return FAILS;
  if (simulated !== undefined && (simulated === 'only') !== ((flags & FLAG_SIMULATED) !== 0)) return FAILS;
  if (testBroadcast !== undefined && (testBroadcast === 'only') !== ((flags & FLAG_TEST) !== 0)) return FAILS;
  if (emergency === 'only' && !record.isEmergency) return FAILS;
  if (ageS && !isIn(ageS, (atMs - record.observedAtMs) / SECOND_MS)) return FAILS;
  const inside = filter.inside === 'view' ? visible : filter.inside;
  if (inside && !isInPlace(inside, record.lon, record.lat)) return FAILS;

  let unknown = 0;
  for (let index = 0; index < FILTERED_MEASURES.length; index++) {
    const name = FILTERED_MEASURES[index] as FilteredMeasure;
    const range = filter[name];
    if (!range) continue;
    const value = record.measure(name);
    if (Number.isNaN(value)) unknown |= 1 << index;
    else if (!isIn(range, value)) return FAILS;
  }
  if (confidence) {
    const label = record.confidence;
    if (label === undefined) unknown |= 1 << FILTERED_MEASURES.length;
    else if (!confidence.includes(label)) return FAILS;
  }
  return unknown;
}

export function isInPlace(inside: Bbox | Area, lon: number, lat: number): boolean {
  return 'kind' in inside ? areaContains(inside, lon, lat) : bboxContains(inside, lon, lat);
}

export function isShown({ unknown }: TrackFilter, verdict: number): boolean {
  return verdict === 0 || (verdict > 0 && unknown === 'show');
}

export function isIn({ from, to }: ValueRange, value: number): boolean {
  return (from === undefined || value >= from) && (to === undefined || value < to);
}
