import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { FLAG_DRONE, type MeasureName } from '#lib/model/record-fields.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { EMERGENCY_AS_TEXT, MARK_EMERGENCY } from './mark-style.ts';
import type { SlotFilter } from './slot-filter.ts';
import type { TrackColumns } from './track-columns.ts';

export type SortColumn = 'kind' | 'ref' | 'observedAtMs' | MeasureName;

export interface TrackOrder {
  readonly column: SortColumn;
  readonly descending: boolean;
}

export interface TrackSearch {
  /** Part of the reference or of a reported emergency value, case-insensitive, or of the word "emergency"; empty matches all. */
  readonly text: string;
  /** Only positions inside; `undefined` for everywhere. */
  readonly inside: Bbox | undefined;
  /** `undefined`: everything is shown. */
  readonly filter?: SlotFilter | undefined;
  /** The emergency value of a slot as it came; without this, values are not searched. */
  readonly emergencyAt?: (slot: number) => string | undefined;
}

/**
 * The slots of the matching tracks that are drawn at `nowMs`, in order. "Not reported" sorts last in both directions, so that
 * it is not mistaken for the smallest value.
 * @param earlier a previous result, in any order: references that are nearly sorted already sort several times faster, and
 * twenty thousand of them are sorted every second
 */
export function orderTracks(
  columns: TrackColumns,
  refAt: (slot: number) => string,
  nowMs: number,
  search: TrackSearch,
  order: TrackOrder,
  earlier?: Uint32Array,
): Uint32Array {
  const wanted = search.text.trim().toUpperCase();
  const slots: number[] = [];
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0) continue;
    const kind = (columns.style[slot] as number) & FLAG_DRONE ? 'drone' : 'aircraft';
    if (nowMs >= (columns.expiresAtMs[slot] as number) + AGEING[kind].coastMs) continue;
    if (search.inside && !bboxContains(search.inside, columns.lon[slot] as number, columns.lat[slot] as number))
      continue;
    if (search.filter && !search.filter.isShown(search.filter.verdict(slot))) continue;
    if (wanted !== '' && !refAt(slot).toUpperCase().includes(wanted) && !isEmergencyLike(columns, slot, wanted, search))
      continue;
    slots.push(slot);
  }
  const sign = order.descending ? -1 : 1;
  if (order.column === 'ref') {
    const seeded = earlier ? inEarlierOrder(slots, earlier, columns.end) : slots;
    return Uint32Array.from(seeded.sort((a, b) => sign * compareReferences(refAt(a), refAt(b))));
  }
  if (order.column === 'kind') {
    const { style } = columns;
    const isDrone = (slot: number) => (style[slot] as number) & FLAG_DRONE;
    return Uint32Array.from(slots).sort((a, b) => sign * (isDrone(a) - isDrone(b)) || a - b);
  }
  const values = columns[order.column];
  return Uint32Array.from(slots).sort((a, b) => {
    const left = values[a] as number;
    const right = values[b] as number;
    if (Number.isNaN(left)) return Number.isNaN(right) ? a - b : 1;
    if (Number.isNaN(right)) return -1;
    return sign * (left - right) || a - b;
  });
}

/** Shorter parts of the word "emergency" are parts of many references. */
const EMERGENCY_WORD_MIN = 3;

function isEmergencyLike(columns: TrackColumns, slot: number, wanted: string, { emergencyAt }: TrackSearch): boolean {
  const style = columns.style[slot] as number;
  if ((style & (MARK_EMERGENCY | EMERGENCY_AS_TEXT)) === 0) return false;
  if (emergencyAt?.(slot)?.toUpperCase().includes(wanted)) return true;
  return (style & MARK_EMERGENCY) !== 0 && wanted.length >= EMERGENCY_WORD_MIN && 'EMERGENCY'.includes(wanted);
}

/** The same slots, those with a known emergency value first; otherwise their order is kept. */
export function emergenciesFirst({ style }: TrackColumns, slots: Uint32Array): Uint32Array {
  const first: number[] = [];
  for (const slot of slots) if ((style[slot] as number) & MARK_EMERGENCY) first.push(slot);
  if (first.length === 0) return slots;
  const ordered = new Uint32Array(slots.length);
  ordered.set(first);
  let next = first.length;
  for (const slot of slots) if (((style[slot] as number) & MARK_EMERGENCY) === 0) ordered[next++] = slot;
  return ordered;
}

/** Compares the short forms first, which is what tables show. References are distinct. */
function compareReferences(a: string, b: string): number {
  const [shortA, shortB] = [shortReference(a), shortReference(b)];
  if (shortA !== shortB) return shortA < shortB ? -1 : 1;
  return a < b ? -1 : 1;
}

/** The same slots: first those in `earlier`, in that order, then the others. */
function inEarlierOrder(slots: readonly number[], earlier: Uint32Array, end: number): number[] {
  const pending = new Uint8Array(end);
  for (const slot of slots) pending[slot] = 1;
  const seeded: number[] = [];
  const append = (slot: number) => {
    if (pending[slot] !== 1) return;
    pending[slot] = 0;
    seeded.push(slot);
  };
  earlier.forEach(append);
  slots.forEach(append);
  return seeded;
}
