import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import type { ListedTracks, ValueColumn } from './column-values.ts';
import { emptyLayer, type LayerCounts, tallyLayer } from './draw-picture.ts';
import { MARK_EMERGENCY } from './mark-style.ts';
import { drawnSlots, type Narrowing, NOT_NARROWED, narrowedSlots, type SortOrder, sortSlots } from './order-tracks.ts';
import type { SlotFilter } from './slot-filter.ts';

export interface ListQuestion extends Narrowing {
  readonly filter: SlotFilter | undefined;
  readonly order: SortOrder;
  /** Whether those with a known emergency value come first, whatever the order. */
  readonly emergenciesFirst: boolean;
  /** Whether there is a heading for each kind, and for emergencies that come first. */
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
  /** Of each row the slot of its track; negative: the heading of the group `groupOfRow`. */
  readonly rows: Int32Array;
  /** Without empty ones; none if the list is not grouped. */
  readonly groups: readonly TrackGroup[];
  readonly listed: number;
  readonly drawn: number;
  /** As `narrowedSlots` counts them. */
  readonly unknown: ReadonlyMap<ValueColumn, number>;
}

/** The row of a group's heading, by its index in `groups`. */
function headingRow(index: number): number {
  return -1 - index;
}

/** The inverse of `headingRow`. */
export function groupOfRow(row: number): number {
  return -1 - row;
}

/**
 * Lists tracks again and again. The last order is where the next sort starts: rows that are nearly sorted already sort several times faster, and
 * twenty thousand of them are sorted every second.
 */
export class TrackLister {
  #earlier: readonly number[] = [];
  readonly #scratches: Float64Array[] = [];

  /** @param isSorted false: tracks keep the order that they had, new ones come last */
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

/** The slots of the drawn tracks that match, in order. */
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

/** The same slots: first those in `earlier`, in that order, then the others. */
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
