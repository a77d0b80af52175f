import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { MARK_DRONE } from './mark-style.ts';
import type { TrackColumns } from './track-columns.ts';

export type SortColumn = 'ref' | 'altitudeM' | 'heightAglM' | 'speedMps' | 'headingDeg' | 'observedAtMs';

export interface TrackOrder {
  readonly column: SortColumn;
  readonly descending: boolean;
}

export interface TrackSearch {
  /** Part of the reference, any case; empty finds all. */
  readonly text: string;
  /** Only positions inside; `undefined` for everywhere. */
  readonly inside: Bbox | undefined;
}

/**
 * The slots of the tracks that are drawn at `nowMs` and match, in order. "Not reported" comes last in both directions, so
 * that it is never read as the smallest value.
 */
export function orderTracks(
  columns: TrackColumns,
  refAt: (slot: number) => string,
  nowMs: number,
  search: TrackSearch,
  order: TrackOrder,
): Uint32Array {
  const wanted = search.text.trim().toUpperCase();
  const slots: number[] = [];
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0) continue;
    const kind = (columns.style[slot] as number) & MARK_DRONE ? 'drone' : 'aircraft';
    if (nowMs >= (columns.expiresAtMs[slot] as number) + AGEING[kind].coastMs) continue;
    if (search.inside && !bboxContains(search.inside, columns.lon[slot] as number, columns.lat[slot] as number))
      continue;
    if (wanted !== '' && !refAt(slot).toUpperCase().includes(wanted)) continue;
    slots.push(slot);
  }
  const sign = order.descending ? -1 : 1;
  if (order.column === 'ref') {
    return Uint32Array.from(slots.sort((a, b) => sign * (refAt(a) < refAt(b) ? -1 : 1)));
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
