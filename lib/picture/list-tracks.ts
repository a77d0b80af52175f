import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import type { ListedTracks, ValueColumn } from './column-values.ts';
import { emptyLayer, type LayerCounts, tallyLayer } from './draw-picture.ts';
import { MARK_EMERGENCY } from './mark-style.ts';
import { drawnSlots, type Narrowing, NOT_NARROWED, narrowedSlots, type SortOrder, sortSlots } from './order-tracks.ts';
import type { SlotFilter } from './slot-filter.ts';

export interface ListQuestion extends Narrowing {
  readonly filter: SlotFilter | undefined;
  readonly order: SortOrder;
  readonly emergenciesFirst: boolean;
  readonly grouped: boolean;
}

export const PLAIN_LIST: ListQuestion = {
  ...NOT_NARROWED,
  filter: undefined,
  order: [],
  emergenciesFirst: false,
  grouped: false,
};

const GROUP_NAMES = ['emergency', 'aircraft', 'drone'] as const;
export type GroupName = (typeof GROUP_NAMES)[number];

export interface TrackGroup {
  readonly name: GroupName;
  readonly counts: LayerCounts;
}

export interface TrackRows {
  /** A track's slot, or a heading if negative, see `groupOfRow`. */
  readonly rows: Int32Array;
  /** None if the list is not grouped. */
  readonly groups: readonly TrackGroup[];
  readonly listed: number;
  readonly drawn: number;
  readonly unknown: ReadonlyMap<ValueColumn, number>;
}

function headingRow(index: number): number {
  return -1 - index;
}

export function groupOfRow(row: number): number {
  return -1 - row;
}

/** Each sort starts from the last order, several times faster: twenty thousand rows are sorted every second. */
export class TrackLister {
  #earlier: readonly number[] = [];
  readonly #scratches: Float64Array[] = [];

  /** @param isSorted false keeps the last order, with new tracks last */
  list(tracks: ListedTracks, question: ListQuestion, isSorted = true): TrackRows {
    const { end, style } = tracks.columns;
    const scratchFor = (index: number) => this.#scratch(index, end);
    const drawn = drawnSlots(tracks, question.filter);
    const { slots, unknown } = narrowedSlots(tracks, drawn, question, scratchFor);
    const kept = inEarlierOrder(slots, this.#earlier, end);
    const ordered = isSorted ? sortSlots(tracks, kept, question.order, question.from, scratchFor) : kept;
    this.#earlier = ordered;
    return {
      ...(question.grouped
        ? groupedRows(tracks, ordered, question.emergenciesFirst)
        : {
            rows: question.emergenciesFirst ? emergenciesFirst(style, ordered) : Int32Array.from(ordered),
            groups: [],
          }),
      listed: ordered.length,
      drawn: drawn.length,
      unknown,
    };
  }

  #scratch(index: number, end: number): Float64Array {
    let scratch = this.#scratches[index];
    if (!scratch || scratch.length < end) {
      scratch = new Float64Array(end * 2);
      this.#scratches[index] = scratch;
    }
    return scratch;
  }
}

export function listSlots(tracks: ListedTracks, question: Partial<ListQuestion>): Int32Array {
  return new TrackLister().list(tracks, { ...PLAIN_LIST, ...question }).rows;
}

function emergenciesFirst(style: Uint16Array, slots: readonly number[]): Int32Array {
  const rows = new Int32Array(slots.length);
  let next = 0;
  for (const slot of slots) if ((style[slot] as number) & MARK_EMERGENCY) rows[next++] = slot;
  for (const slot of slots) if (((style[slot] as number) & MARK_EMERGENCY) === 0) rows[next++] = slot;
  return rows;
}

function groupedRows(
  { columns, atMs }: ListedTracks,
  slots: readonly number[],
  hasEmergencies: boolean,
): Pick<TrackRows, 'rows' | 'groups'> {
  const members = GROUP_NAMES.map((name) => ({ name, counts: emptyLayer(), slots: [] as number[] }));
  const [emergencies, aircraft, drones] = members;
  for (const slot of slots) {
    const style = columns.style[slot] as number;
    const isEmergency = hasEmergencies && (style & MARK_EMERGENCY) !== 0;
    const group = isEmergency ? emergencies : style & FLAG_DRONE ? drones : aircraft;
    if (!group) continue;
    group.slots.push(slot);
    tallyLayer(group.counts, style, atMs >= (columns.expiresAtMs[slot] as number));
  }
  const groups = members.filter((group) => group.slots.length > 0);
  const rows = new Int32Array(slots.length + groups.length);
  let next = 0;
  for (const [index, group] of groups.entries()) {
    rows[next++] = headingRow(index);
    rows.set(group.slots, next);
    next += group.slots.length;
  }
  return { rows, groups: groups.map(({ name, counts }) => ({ name, counts })) };
}

/** Those in `earlier` first. */
function inEarlierOrder(slots: readonly number[], earlier: readonly number[], end: number): number[] {
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
