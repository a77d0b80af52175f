import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING, expiryMs } from '#lib/model/ageing.ts';
import { confidenceClass } from '#lib/model/confidence.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { deriveMark } from '#lib/picture/derive-mark.ts';
import { confidenceBits, MARK_DRONE, MARK_EMERGENCY, MARK_SIMULATED, MARK_TEST } from '#lib/picture/mark-style.ts';
import type { PicturedTracks, TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { copyTrackColumns, growTrackColumns, makeTrackColumns, type TrackColumns } from '#lib/picture/track-columns.ts';
import { instantFromMs } from '#lib/time/instant.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST, type RecordColumns } from './live-frame.ts';

/** No slot: before the first record of an answer. */
const NOWHERE = -1;

/** Bits of a mark's style for each label of an answer. */
interface LabelMeaning {
  readonly confidence: readonly number[];
  readonly emergency: readonly number[];
}

/** What the columns of a picture leave out of a record, by slot. */
interface RecordTexts {
  refs: string[];
  confidence: (string | undefined)[];
  emergency: (string | undefined)[];
  staleAfterMs: number[];
  positions: (Position | undefined)[];
}

const kindOfStyle = (style: number) => ((style & MARK_DRONE) !== 0 ? 'drone' : 'aircraft');

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
  readonly #texts: RecordTexts = { refs: [], confidence: [], emergency: [], staleAfterMs: [], positions: [] };

  get size(): number {
    return this.#slotOfRef.size;
  }

  slotOf(ref: string): number | undefined {
    return this.#slotOfRef.get(ref);
  }

  refAt(slot: number): string {
    return this.#texts.refs[slot] as string;
  }

  /**
   * Takes over the records of one layer's answer. An older observation of a known track changes nothing: answers may
   * overtake each other.
   */
  apply(records: RecordColumns): void {
    // Few distinct labels stand in many records: what each means for the mark is worked out once.
    const meaning: LabelMeaning = {
      confidence: records.labels.map((label) => confidenceBits(confidenceClass(label))),
      emergency: records.labels.map((label) => (emergencyClass(label) === 'emergency' ? MARK_EMERGENCY : 0)),
    };
    let before = NOWHERE;
    for (let index = 0; index < records.count; index++) {
      const ref = records.refs[index] as string;
      const known = this.#knownSlot(ref, before);
      const slot = known ?? this.#takeSlot(ref);
      if (known === undefined || this.#changed(slot, records, index)) this.#write(slot, records, index, meaning);
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
      const kind = kindOfStyle(columns.style[slot] as number);
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
      if (this.columns.used[slot] && kindOfStyle(this.columns.style[slot] as number) === dropped) this.#free(slot);
    }
  }

  /** The last received position in a slot; the same object until a newer one comes. */
  positionAt(slot: number): Position {
    return positionIn(this.columns, this.#texts, slot);
  }

  momentAt(atMs: number): TrackMoment {
    const columns = copyTrackColumns(this.columns);
    const { refs, confidence, emergency, staleAfterMs, positions } = this.#texts;
    const texts: RecordTexts = {
      refs: refs.slice(),
      confidence: confidence.slice(),
      emergency: emergency.slice(),
      staleAfterMs: staleAfterMs.slice(),
      positions: positions.slice(),
    };
    return {
      atMs,
      columns,
      refAt: (slot) => texts.refs[slot] as string,
      positionAt: (slot) => positionIn(columns, texts, slot),
    };
  }

  /**
   * Answers come in the same order again and again: the track that followed `before` last time is most likely the next one
   * now, and comparing a reference costs less than looking it up among all.
   */
  #knownSlot(ref: string, before: number): number | undefined {
    const likely = before === NOWHERE ? undefined : this.#followedBy[before];
    if (likely !== undefined && this.columns.used[likely] === 1 && this.#texts.refs[likely] === ref) return likely;
    return this.#slotOfRef.get(ref);
  }

  #changed(slot: number, records: RecordColumns, index: number): boolean {
    const { columns } = this;
    const observedAtMs = records.observedAtMs[index] as number;
    const heldMs = columns.observedAtMs[slot] as number;
    if (observedAtMs !== heldMs) return observedAtMs > heldMs;
    const same =
      recordFlags(columns.style[slot] as number) === records.flags[index] &&
      Object.is(columns.lon[slot], records.lon[index]) &&
      Object.is(columns.lat[slot], records.lat[index]) &&
      Object.is(this.#texts.staleAfterMs[slot], records.staleAfterMs[index]) &&
      Object.is(columns.altitudeM[slot], records.altitudeM[index]) &&
      Object.is(columns.heightAglM[slot], records.heightAglM[index]) &&
      Object.is(columns.speedMps[slot], records.speedMps[index]) &&
      Object.is(columns.headingDeg[slot], records.headingDeg[index]) &&
      Object.is(columns.confidenceScore[slot], records.confidenceScore[index]) &&
      Object.is(columns.receiverCount[slot], records.receiverCount[index]) &&
      this.#texts.confidence[slot] === records.labels[records.confidence[index] as number] &&
      this.#texts.emergency[slot] === records.labels[records.emergency[index] as number];
    return !same;
  }

  #write(slot: number, records: RecordColumns, index: number, meaning: LabelMeaning): void {
    const { columns } = this;
    const flags = records.flags[index] as number;
    const kind = (flags & FLAG_DRONE) !== 0 ? 'drone' : 'aircraft';
    const confidence = records.confidence[index] as number;
    const emergency = records.emergency[index] as number;
    const observedAtMs = records.observedAtMs[index] as number;
    const staleAfterMs = records.staleAfterMs[index] as number;

    columns.style[slot] =
      (kind === 'drone' ? MARK_DRONE : 0) |
      (flags & FLAG_SIMULATED ? MARK_SIMULATED : 0) |
      (flags & FLAG_TEST ? MARK_TEST : 0) |
      (meaning.emergency[emergency] as number) |
      (meaning.confidence[confidence] as number);
    columns.observedAtMs[slot] = observedAtMs;
    columns.expiresAtMs[slot] = expiryMs(observedAtMs, staleAfterMs, kind);
    columns.lon[slot] = records.lon[index] as number;
    columns.lat[slot] = records.lat[index] as number;
    columns.altitudeM[slot] = records.altitudeM[index] as number;
    columns.heightAglM[slot] = records.heightAglM[index] as number;
    columns.speedMps[slot] = records.speedMps[index] as number;
    columns.headingDeg[slot] = records.headingDeg[index] as number;
    columns.confidenceScore[slot] = records.confidenceScore[index] as number;
    columns.receiverCount[slot] = records.receiverCount[index] as number;
    deriveMark(columns, slot);
    this.#texts.confidence[slot] = records.labels[confidence];
    this.#texts.emergency[slot] = records.labels[emergency];
    this.#texts.staleAfterMs[slot] = staleAfterMs;
    this.#texts.positions[slot] = undefined;
  }

  #takeSlot(ref: string): number {
    const { columns } = this;
    let slot = this.#freeSlots.pop();
    if (slot === undefined) {
      if (columns.end === columns.capacity) growTrackColumns(columns);
      slot = columns.end++;
    }
    columns.used[slot] = 1;
    this.#texts.refs[slot] = ref;
    this.#slotOfRef.set(ref, slot);
    return slot;
  }

  #free(slot: number): void {
    this.columns.used[slot] = 0;
    this.#slotOfRef.delete(this.#texts.refs[slot] as string);
    this.#texts.positions[slot] = undefined;
    this.#freeSlots.push(slot);
  }
}

function positionIn(columns: TrackColumns, texts: RecordTexts, slot: number): Position {
  const cached = texts.positions[slot];
  if (cached) return cached;
  const style = columns.style[slot] as number;
  const reported = (column: Float64Array) => {
    const value = column[slot] as number;
    return Number.isNaN(value) ? undefined : value;
  };
  const staleAfterMs = texts.staleAfterMs[slot] as number;
  const position: Position = {
    ref: texts.refs[slot] as string,
    kind: kindOfStyle(style),
    observedAt: instantFromMs(columns.observedAtMs[slot] as number),
    lon: columns.lon[slot] as number,
    lat: columns.lat[slot] as number,
    altitudeM: reported(columns.altitudeM),
    heightAglM: reported(columns.heightAglM),
    speedMps: reported(columns.speedMps),
    headingDeg: reported(columns.headingDeg),
    confidence: texts.confidence[slot],
    confidenceScore: reported(columns.confidenceScore),
    receiverCount: reported(columns.receiverCount),
    simulated: (style & MARK_SIMULATED) !== 0,
    testBroadcast: (style & MARK_TEST) !== 0,
    emergencyState: texts.emergency[slot],
    staleAfter: Number.isNaN(staleAfterMs) ? undefined : instantFromMs(staleAfterMs),
  };
  texts.positions[slot] = position;
  return position;
}

function recordFlags(style: number): number {
  return (
    (style & MARK_SIMULATED ? FLAG_SIMULATED : 0) |
    (style & MARK_TEST ? FLAG_TEST : 0) |
    (style & MARK_DRONE ? FLAG_DRONE : 0)
  );
}

function isWatched(watched: readonly Bbox[], lon: number, lat: number): boolean {
  for (const box of watched) if (bboxContains(box, lon, lat)) return true;
  return false;
}
