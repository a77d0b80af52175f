import type { RecordColumns } from '#lib/codec/record-columns.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING, expiryMs } from '#lib/model/ageing.ts';
import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { kindOfFlags, positionAt } from '#lib/model/position-at.ts';
import {
  byName,
  FLAGS_END,
  LABEL_NAMES,
  type LabelName,
  NUMBER_NAMES,
  type NumberName,
} from '#lib/model/record-fields.ts';
import { deriveMark } from '#lib/picture/derive-mark.ts';
import { labelBits } from '#lib/picture/mark-style.ts';
import type { PicturedTracks, TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { copyTrackColumns, growTrackColumns, makeTrackColumns, type TrackColumns } from '#lib/picture/track-columns.ts';

/** No slot: before the first record of an answer. */
const NOWHERE = -1;

/** An answer's columns as lists: a record is copied without looking up a name. */
interface Answer {
  readonly records: RecordColumns;
  /** In the order of `NUMBER_NAMES`. */
  readonly numbers: readonly Float64Array[];
  readonly labels: readonly {
    /** By record: index into the answer's labels. */
    readonly indexes: Uint16Array;
    /** Of a mark's style, by label: few distinct ones stand in many records. */
    readonly bits: readonly number[];
    /** By slot, in the store. */
    readonly known: (string | undefined)[];
  }[];
}

const numbersOf = (columns: Readonly<Record<NumberName, Float64Array>>) => NUMBER_NAMES.map((name) => columns[name]);

/** What of a record stands beside the columns, by slot. */
interface BesideColumns {
  readonly refs: string[];
  readonly labels: Readonly<Record<LabelName, (string | undefined)[]>>;
  /** Made when they are first asked for. */
  readonly positions: (Position | undefined)[];
}

/**
 * The tracks that the browser knows, by slot. An answer adds and updates; a track that is no longer in the answers keeps its
 * last received position, which ages, coasts and is then removed. Unchanged records keep their slot, and their `Position`
 * keeps its identity.
 */
export class TrackStore implements PicturedTracks {
  readonly columns: TrackColumns = makeTrackColumns(1024);
  readonly #slotOfRef = new Map<string, number>();
  readonly #freeSlots: number[] = [];
  /** By slot: the slot of the record that came after it in the latest answer. */
  readonly #followedBy: number[] = [];
  readonly #beside: BesideColumns = { refs: [], labels: byName(LABEL_NAMES, () => []), positions: [] };
  /** Of `columns`, in the order of `NUMBER_NAMES`. */
  #numbers = numbersOf(this.columns);

  get size(): number {
    return this.#slotOfRef.size;
  }

  slotOf(ref: string): number | undefined {
    return this.#slotOfRef.get(ref);
  }

  refAt(slot: number): string {
    return this.#beside.refs[slot] as string;
  }

  /**
   * Takes over the records of one layer's answer. An older observation of a known track changes nothing: answers may
   * overtake each other.
   */
  apply(records: RecordColumns): void {
    const answer: Answer = {
      records,
      numbers: numbersOf(records),
      labels: LABEL_NAMES.map((name) => ({
        indexes: records[name],
        bits: records.labels.map((label) => labelBits(name, label)),
        known: this.#beside.labels[name],
      })),
    };
    let before = NOWHERE;
    for (let index = 0; index < records.count; index++) {
      const ref = records.refs[index] as string;
      const known = this.#knownSlot(ref, before);
      const slot = known ?? this.#takeSlot(ref);
      if (known === undefined || this.#changed(slot, answer, index)) this.#write(slot, answer, index);
      if (before !== NOWHERE) this.#followedBy[before] = slot;
      before = slot;
    }
  }

  /**
   * Drops positions that are of no more use at `nowMs`: removed by age, or outside the watched boxes, where nothing new
   * would ever be heard of them.
   */
  sweep(nowMs: number, watched: readonly Bbox[] | undefined): void {
    const { columns } = this;
    for (let slot = 0; slot < columns.end; slot++) {
      if (columns.used[slot] === 0) continue;
      const kind = kindOfFlags(columns.style[slot] as number);
      const removed = nowMs >= (columns.expiresAtMs[slot] as number) + AGEING[kind].coastMs;
      if (removed || (watched && !isWatched(watched, columns.lon[slot] as number, columns.lat[slot] as number))) {
        this.#free(slot);
      }
    }
  }

  /** Forgets every track of a layer: it was switched off, or is no longer asked for. */
  dropLayer(layer: Layer): void {
    const dropped = KIND_OF_LAYER[layer];
    for (let slot = 0; slot < this.columns.end; slot++) {
      if (this.columns.used[slot] && kindOfFlags(this.columns.style[slot] as number) === dropped) this.#free(slot);
    }
  }

  /** The last received position in a slot; the same object until a newer one comes. */
  positionAt(slot: number): Position {
    return positionIn(this.columns, this.#beside, slot);
  }

  momentAt(atMs: number): TrackMoment {
    const columns = copyTrackColumns(this.columns);
    const { refs, labels, positions } = this.#beside;
    const beside: BesideColumns = {
      refs: refs.slice(),
      labels: byName(LABEL_NAMES, (name) => labels[name].slice()),
      positions: positions.slice(),
    };
    return {
      atMs,
      columns,
      refAt: (slot) => beside.refs[slot] as string,
      positionAt: (slot) => positionIn(columns, beside, slot),
    };
  }

  /**
   * Answers come in the same order again and again: the track that followed `before` last time is most likely the next one
   * now, and comparing a reference costs less than looking it up among all.
   */
  #knownSlot(ref: string, before: number): number | undefined {
    const likely = before === NOWHERE ? undefined : this.#followedBy[before];
    if (likely !== undefined && this.columns.used[likely] === 1 && this.#beside.refs[likely] === ref) return likely;
    return this.#slotOfRef.get(ref);
  }

  #changed(slot: number, { records, numbers, labels }: Answer, index: number): boolean {
    const { columns } = this;
    const observedAtMs = records.observedAtMs[index] as number;
    const heldMs = columns.observedAtMs[slot] as number;
    if (observedAtMs !== heldMs) return observedAtMs > heldMs;
    if (((columns.style[slot] as number) & (FLAGS_END - 1)) !== records.flags[index]) return true;
    if (!Object.is(columns.staleAfterMs[slot], records.staleAfterMs[index])) return true;
    for (let column = 0; column < numbers.length; column++) {
      if (!Object.is(this.#numbers[column]?.[slot], numbers[column]?.[index])) return true;
    }
    return labels.some(({ indexes, known }) => known[slot] !== records.labels[indexes[index] as number]);
  }

  #write(slot: number, { records, numbers, labels }: Answer, index: number): void {
    const { columns } = this;
    let style = records.flags[index] as number;
    for (const { indexes, bits, known } of labels) {
      const label = indexes[index] as number;
      style |= bits[label] as number;
      known[slot] = records.labels[label];
    }
    const observedAtMs = records.observedAtMs[index] as number;
    const staleAfterMs = records.staleAfterMs[index] as number;
    columns.style[slot] = style;
    columns.observedAtMs[slot] = observedAtMs;
    columns.staleAfterMs[slot] = staleAfterMs;
    columns.expiresAtMs[slot] = expiryMs(observedAtMs, staleAfterMs, kindOfFlags(style));
    for (let column = 0; column < numbers.length; column++) {
      (this.#numbers[column] as Float64Array)[slot] = numbers[column]?.[index] as number;
    }
    deriveMark(columns, slot);
    this.#beside.positions[slot] = undefined;
  }

  #takeSlot(ref: string): number {
    const { columns } = this;
    let slot = this.#freeSlots.pop();
    if (slot === undefined) {
      if (columns.end === columns.capacity) {
        growTrackColumns(columns);
        this.#numbers = numbersOf(columns);
      }
      slot = columns.end++;
    }
    columns.used[slot] = 1;
    this.#beside.refs[slot] = ref;
    this.#slotOfRef.set(ref, slot);
    return slot;
  }

  #free(slot: number): void {
    this.columns.used[slot] = 0;
    this.#slotOfRef.delete(this.#beside.refs[slot] as string);
    this.#beside.positions[slot] = undefined;
    this.#freeSlots.push(slot);
  }
}

function positionIn(columns: TrackColumns, { refs, labels, positions }: BesideColumns, slot: number): Position {
  positions[slot] ??= positionAt(columns, slot, {
    ref: refs[slot] as string,
    flags: columns.style[slot] as number,
    label: (name) => labels[name][slot],
  });
  return positions[slot];
}

function isWatched(watched: readonly Bbox[], lon: number, lat: number): boolean {
  for (const box of watched) if (bboxContains(box, lon, lat)) return true;
  return false;
}
