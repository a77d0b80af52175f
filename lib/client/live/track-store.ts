import type { RecordColumns } from '#lib/codec/record-columns.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING, expiryMs } from '#lib/model/ageing.ts';
import { KIND_OF_LAYER, kindOfFlags, type Layer, type Position, positionAt } from '#lib/model/position.ts';
import { byName, FLAGS_END, LABEL_NAMES, type LabelName, NUMBER_NAMES } from '#lib/model/record-fields.ts';
import { labelBits } from '#lib/picture/mark-style.ts';
import type { FirstObservations, PicturedTracks, TrackMoment } from '#lib/picture/pictured-tracks.ts';
import {
  copyArray,
  copyTrackColumns,
  deriveMark,
  growTrackColumns,
  makeTrackColumns,
  type TrackColumns,
} from '#lib/picture/track-columns.ts';

const NOWHERE = -1;

interface BesideColumns {
  readonly refs: string[];
  readonly labels: Readonly<Record<LabelName, (string | undefined)[]>>;
  readonly positions: (Position | undefined)[];
}

interface Copy {
  readonly columns: TrackColumns;
  readonly beside: BesideColumns;
}

/**
 * A track missing from the answers keeps its last received position, which ages, expires and is then removed. Unchanged
 * records keep their slot and the identity of their `Position`.
 */
export class TrackStore implements PicturedTracks {
  readonly columns: TrackColumns = makeTrackColumns(1024);
  readonly beginnings = new TrackBeginnings();
  readonly #slotOfRef = new Map<string, number>();
  readonly #freeSlots: number[] = [];
  readonly #followedBy: number[] = [];
  readonly #beside = emptyBeside();
  /** The copies are used in turn: the last one is still shown while the next is made. */
  readonly #copies: [Copy, Copy] = [makeCopy(), makeCopy()];
  #isCopied = false;

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
   * One layer's answer, with distinct references; answers may arrive out of order.
   * @param coveredBefore a new track inside began there, one outside may have flown for long
   */
  apply(records: RecordColumns, coveredBefore: readonly Bbox[] = []): void {
    const slots = new Uint32Array(records.count);
    const newer = new Uint32Array(records.count);
    const sameTime = new Uint32Array(records.count);
    let newerCount = 0;
    let sameTimeCount = 0;
    let before = NOWHERE;
    for (let index = 0; index < records.count; index++) {
      const ref = records.refs[index] as string;
      const known = this.#knownSlot(ref, before);
      const slot = known ?? this.#allocateSlot(ref);
      if (known === undefined) this.#begin(slot, records, index, coveredBefore);
      const observedAtMs = records.observedAtMs[index] as number;
      const knownMs = known === undefined ? Number.NEGATIVE_INFINITY : (this.columns.observedAtMs[slot] as number);
      if (observedAtMs > knownMs) newer[newerCount++] = index;
      else if (observedAtMs === knownMs) sameTime[sameTimeCount++] = index;
      if (before !== NOWHERE) this.#followedBy[before] = slot;
      slots[index] = slot;
      before = slot;
    }
    this.#write(records, newer.subarray(0, newerCount), slots);
    this.#write(records, this.#differing(records, sameTime.subarray(0, sameTimeCount), slots), slots);
  }

  /** Drops positions that are too old, or outside the covered boxes, where they would never be updated. */
  prune(nowMs: number, covered: readonly Bbox[] | undefined): void {
    const { columns } = this;
    for (let slot = 0; slot < columns.end; slot++) {
      if (columns.used[slot] === 0) continue;
      const kind = kindOfFlags(columns.style[slot] as number);
      const removed = nowMs >= (columns.expiresAtMs[slot] as number) + AGEING[kind].expiredMs;
      if (removed || (covered && !isCovered(covered, columns.lon[slot] as number, columns.lat[slot] as number))) {
        this.#free(slot);
      }
    }
  }

  dropLayer(layer: Layer): void {
    const dropped = KIND_OF_LAYER[layer];
    for (let slot = 0; slot < this.columns.end; slot++) {
      if (this.columns.used[slot] && kindOfFlags(this.columns.style[slot] as number) === dropped) this.#free(slot);
    }
  }

  labelAt(slot: number, name: LabelName): string | undefined {
    return this.#beside.labels[name][slot];
  }

  /** The same object until it is replaced. */
  positionAt(slot: number): Position {
    return positionIn(this.columns, this.#beside, slot);
  }

  /** Copies only after a change: most moments differ by their time alone. */
  momentAt(atMs: number): TrackMoment {
    if (!this.#isCopied) {
      this.#copies.reverse();
      this.#copyTo(this.#copies[0]);
      this.#isCopied = true;
    }
    const [{ columns, beside }] = this.#copies;
    return {
      atMs,
      columns,
      refAt: (slot) => beside.refs[slot] as string,
      labelAt: (slot, name) => beside.labels[name][slot],
      positionAt: (slot) => positionIn(columns, beside, slot),
    };
  }

  #copyTo({ columns, beside }: Copy): void {
    const { end } = this.columns;
    copyTrackColumns(this.columns, columns);
    copyArray(this.#beside.refs, beside.refs, end);
    for (const name of LABEL_NAMES) copyArray(this.#beside.labels[name], beside.labels[name], end);
    copyArray(this.#beside.positions, beside.positions, end);
  }

  /** Answers usually keep their order: trying the last successor of `before` is cheaper than a map lookup. */
  #knownSlot(ref: string, before: number): number | undefined {
    const likely = before === NOWHERE ? undefined : this.#followedBy[before];
    if (likely !== undefined && this.columns.used[likely] === 1 && this.#beside.refs[likely] === ref) return likely;
    return this.#slotOfRef.get(ref);
  }

  #differing(records: RecordColumns, indexes: Uint32Array, slots: Uint32Array): Uint32Array {
    const { columns } = this;
    const differs = new Uint8Array(records.count);
    const compare = (from: Float64Array, to: Float64Array) => {
      for (let at = 0; at < indexes.length; at++) {
        const index = indexes[at] as number;
        if (!Object.is(from[index], to[slots[index] as number])) differs[index] = 1;
      }
    };
    compare(records.staleAfterMs, columns.staleAfterMs);
    for (const name of NUMBER_NAMES) compare(records[name], columns[name]);
    for (const name of LABEL_NAMES) {
      const known = this.#beside.labels[name];
      for (const index of indexes) {
        if (known[slots[index] as number] !== records.labels[records[name][index] as number]) differs[index] = 1;
      }
    }
    return indexes.filter((index) => {
      const flags = (columns.style[slots[index] as number] as number) & (FLAGS_END - 1);
      return differs[index] === 1 || flags !== records.flags[index];
    });
  }

  /** Writes by column: looking up all columns for each record costs more than copying it. */
  #write(records: RecordColumns, indexes: Uint32Array, slots: Uint32Array): void {
    if (indexes.length === 0) return;
    this.#isCopied = false;
    const { columns } = this;
    const { style } = columns;
    const { positions } = this.#beside;
    for (let at = 0; at < indexes.length; at++) {
      const index = indexes[at] as number;
      const slot = slots[index] as number;
      style[slot] = records.flags[index] as number;
      positions[slot] = undefined;
    }
    copyColumn(records.observedAtMs, columns.observedAtMs, indexes, slots);
    copyColumn(records.staleAfterMs, columns.staleAfterMs, indexes, slots);
    for (const name of NUMBER_NAMES) copyColumn(records[name], columns[name], indexes, slots);
    for (const name of LABEL_NAMES) {
      const column = records[name];
      const known = this.#beside.labels[name];
      // Many records share a few labels: each label's style bits are computed once.
      const bits = Uint16Array.from(records.labels, (label) => labelBits(name, label));
      for (let at = 0; at < indexes.length; at++) {
        const index = indexes[at] as number;
        const slot = slots[index] as number;
        const label = column[index] as number;
        known[slot] = records.labels[label];
        style[slot] = (style[slot] as number) | (bits[label] as number);
      }
    }
    for (let at = 0; at < indexes.length; at++) {
      const slot = slots[indexes[at] as number] as number;
      const kind = kindOfFlags(style[slot] as number);
      columns.expiresAtMs[slot] = expiryMs(
        columns.observedAtMs[slot] as number,
        columns.staleAfterMs[slot] as number,
        kind,
      );
      deriveMark(columns, slot);
    }
  }

  #begin(slot: number, { lon, lat, observedAtMs }: RecordColumns, index: number, covered: readonly Bbox[]): void {
    const [x, y] = [lon[index] as number, lat[index] as number];
    const atMs = isCovered(covered, x, y) ? (observedAtMs[index] as number) : Number.NaN;
    this.beginnings.set(slot, this.columns.capacity, atMs, x, y);
  }

  #allocateSlot(ref: string): number {
    const { columns } = this;
    let slot = this.#freeSlots.pop();
    if (slot === undefined) {
      if (columns.end === columns.capacity) growTrackColumns(columns);
      slot = columns.end++;
    }
    columns.used[slot] = 1;
    this.#beside.refs[slot] = ref;
    this.#slotOfRef.set(ref, slot);
    return slot;
  }

  #free(slot: number): void {
    this.#isCopied = false;
    this.columns.used[slot] = 0;
    this.#slotOfRef.delete(this.#beside.refs[slot] as string);
    this.#beside.positions[slot] = undefined;
    this.#freeSlots.push(slot);
  }
}

function emptyBeside(): BesideColumns {
  return { refs: [], labels: byName(LABEL_NAMES, () => []), positions: [] };
}

function makeCopy(): Copy {
  return { columns: makeTrackColumns(0), beside: emptyBeside() };
}

function copyColumn(from: Float64Array, to: Float64Array, indexes: Uint32Array, slots: Uint32Array): void {
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at] as number;
    to[slots[index] as number] = from[index] as number;
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

function isCovered(covered: readonly Bbox[], lon: number, lat: number): boolean {
  for (const box of covered) if (bboxContains(box, lon, lat)) return true;
  return false;
}

/** NaN for tracks that were there when their place was first read. */
class TrackBeginnings implements FirstObservations {
  #atMs = new Float64Array(0);
  #lon = new Float64Array(0);
  #lat = new Float64Array(0);

  atMs(slot: number): number {
    return this.#atMs[slot] ?? Number.NaN;
  }

  lon(slot: number): number {
    return this.#lon[slot] ?? Number.NaN;
  }

  lat(slot: number): number {
    return this.#lat[slot] ?? Number.NaN;
  }

  set(slot: number, capacity: number, atMs: number, lon: number, lat: number): void {
    if (this.#atMs.length < capacity) {
      this.#atMs = grown(this.#atMs, capacity);
      this.#lon = grown(this.#lon, capacity);
      this.#lat = grown(this.#lat, capacity);
    }
    this.#atMs[slot] = atMs;
    this.#lon[slot] = lon;
    this.#lat[slot] = lat;
  }
}

function grown(column: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const bigger = new Float64Array(capacity);
  bigger.set(column);
  return bigger;
}
