import { isIn, type ValueRange } from '#lib/filter/track-filter.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { emergencyWords } from '#lib/model/emergency.ts';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { columnValues, type ListedTracks, type ValueColumn } from './column-values.ts';
import { EMERGENCY_AS_TEXT, MARK_EMERGENCY } from './mark-style.ts';
import type { SlotFilter } from './slot-filter.ts';
import type { TableColumn } from './table-columns.ts';

export interface SortKey {
  readonly column: TableColumn;
  readonly descending: boolean;
}

/** Later keys break ties. */
export type SortOrder = readonly SortKey[];

export type ListRanges = ReadonlyMap<ValueColumn, ValueRange>;

export interface Narrowing {
  /** Part of the reference, of an emergency value, or of the word "emergency". */
  readonly text: string;
  readonly inside: Bbox | undefined;
  readonly ranges: ListRanges;
  readonly unknown: 'show' | 'hide';
  readonly from: LonLat | undefined;
}

export const NOT_NARROWED: Narrowing = {
  text: '',
  inside: undefined,
  ranges: new Map(),
  unknown: 'show',
  from: undefined,
};

/** At least `columns.end` long, reused for the next list. */
export type ScratchFor = (index: number) => Float64Array;

export function drawnSlots({ columns, atMs }: ListedTracks, filter: SlotFilter | undefined): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0) continue;
    const kind = (columns.style[slot] as number) & FLAG_DRONE ? 'drone' : 'aircraft';
    if (atMs >= (columns.expiresAtMs[slot] as number) + AGEING[kind].expiredMs) continue;
    if (filter && !filter.isShown(filter.verdict(slot))) continue;
    slots.push(slot);
  }
  return slots;
}

export interface NarrowedSlots {
  readonly slots: readonly number[];
  /** They meet the other restrictions, shown or hidden. */
  readonly unknown: ReadonlyMap<ValueColumn, number>;
}

export function narrowedSlots(
  tracks: ListedTracks,
  slots: readonly number[],
  narrowing: Narrowing,
  scratchFor: ScratchFor,
): NarrowedSlots {
  const { columns } = tracks;
  const { text, inside, ranges, from } = narrowing;
  const wanted = text.trim().toUpperCase();
  if (wanted === '' && !inside && ranges.size === 0) return { slots, unknown: new Map() };
  const found = slots.filter((slot) => {
    if (inside && !bboxContains(inside, columns.lon[slot] as number, columns.lat[slot] as number)) return false;
    return wanted === '' || isNamed(tracks, slot, wanted);
  });
  const limits = Array.from(ranges, ([column, range], index) => ({
    column,
    range,
    values: columnValues(tracks, column, from, found, scratchFor(index)),
    unknown: 0,
  }));
  const within = found.filter((slot) => {
    for (const { values, range } of limits) if (isOutside(range, values[slot] as number)) return false;
    let isKnown = true;
    for (const limit of limits) {
      if (!Number.isNaN(limit.values[slot])) continue;
      limit.unknown++;
      isKnown = false;
    }
    return isKnown || narrowing.unknown === 'show';
  });
  return { slots: within, unknown: new Map(limits.map(({ column, unknown }) => [column, unknown])) };
}

/** A range that ends before it begins is of directions, and leads over north. */
function isOutside({ from, to }: ValueRange, value: number): boolean {
  if (Number.isNaN(value)) return false;
  if (from !== undefined && to !== undefined && to < from) return value < from && value >= to;
  return !isIn({ from, to }, value);
}

/** Many references contain shorter parts of "emergency". */
const EMERGENCY_WORD_MIN = 3;

function isNamed({ columns, refAt, labelAt }: ListedTracks, slot: number, wanted: string): boolean {
  if (refAt(slot).toUpperCase().includes(wanted)) return true;
  const style = columns.style[slot] as number;
  if ((style & (MARK_EMERGENCY | EMERGENCY_AS_TEXT)) === 0) return false;
  const state = labelAt(slot, 'emergencyState');
  if (state !== undefined && `${state} ${emergencyWords(state)}`.toUpperCase().includes(wanted)) return true;
  return (style & MARK_EMERGENCY) !== 0 && wanted.length >= EMERGENCY_WORD_MIN && 'EMERGENCY'.includes(wanted);
}

/** In place and stable. "Not reported" is last in both directions. */
export function sortSlots(
  tracks: ListedTracks,
  slots: number[],
  order: SortOrder,
  from: LonLat | undefined,
  scratchFor: ScratchFor,
): number[] {
  const comparisons = order.map(({ column, descending }, index) => {
    const sign = descending ? -1 : 1;
    if (column === 'ref') return byReference(tracks, sign);
    const values = columnValues(tracks, column, from, slots, scratchFor(index));
    return (a: number, b: number) => compareValues(values[a] as number, values[b] as number, sign);
  });
  const [first, second] = comparisons;
  if (!first) return slots;
  // This runs hundreds of thousands of times.
  if (!second) return slots.sort((a, b) => first(a, b) || a - b);
  return slots.sort((a, b) => first(a, b) || second(a, b) || a - b);
}

function compareValues(left: number, right: number, sign: number): number {
  if (Number.isNaN(left)) return Number.isNaN(right) ? 0 : 1;
  if (Number.isNaN(right)) return -1;
  return sign * (left - right);
}

function byReference({ refAt }: ListedTracks, sign: number): (a: number, b: number) => number {
  return (one, other) => {
    const [a, b] = [refAt(one), refAt(other)];
    const [shortA, shortB] = [shortReference(a), shortReference(b)];
    if (shortA !== shortB) return shortA < shortB ? -sign : sign;
    return a < b ? -sign : sign;
  };
}
